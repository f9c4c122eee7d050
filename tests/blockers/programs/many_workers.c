// Ten threads that are created in a loop.
#include <assert.h>
#include <pthread.h>
#ifndef WORKERS
#define WORKERS 10
#endif
pthread_t workers[WORKERS];
int cells[WORKERS];
void *work(void *arg) { *(int *)arg = 1; return 0; }
int main(void) {
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], 0, work, &cells[i]); // blocker
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], 0);
    int sum = 0;
    for (int i = 0; i < WORKERS; i++)
        sum += cells[i];
    assert(sum == WORKERS);
    return 0;
}
