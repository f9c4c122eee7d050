// Six threads that mix a shared number; no two orders give the same.
#include <assert.h>
#include <pthread.h>
#ifndef THREADS
#define THREADS 6
#endif
#ifndef ROUNDS
#define ROUNDS 200
#endif
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned mixed = 1;
void *mix(void *arg) {
    unsigned mine = (unsigned)(unsigned long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        mixed = mixed * 1664525u + mine; // blocker
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
int main(void) {
    pthread_t t[THREADS];
    for (unsigned long i = 0; i < THREADS; i++)
        pthread_create(&t[i], 0, mix, (void *)(2 * i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], 0);
    assert(mixed != 7);
    return 0;
}
