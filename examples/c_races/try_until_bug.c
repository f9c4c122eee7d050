// Any number of threads that try a lock until they get it. The bug: some go on without it.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    if (pthread_mutex_trylock(&lock) != 0 && counter == 0)
        return 0;
    counter++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    for (;;) {
        pthread_t t;
        pthread_create(&t, 0, work, 0);
    }
}
