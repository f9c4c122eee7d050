// A pointer that was kept as a number, with a bit of its own.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
int cell;
uintptr_t tagged;
void *work(void *arg) {
    int *p = (int *)(tagged & ~(uintptr_t)1);
    *p = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    tagged = (uintptr_t)&cell | 1; // blocker
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    assert(cell == 1);
    return 0;
}
