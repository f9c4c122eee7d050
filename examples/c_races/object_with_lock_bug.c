// An object on the heap with its own lock, shared by any number of threads. The bug: `main` reads the balance without it.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account *shared;

static void *deposit(void *unused) {
    pthread_mutex_lock(&shared->lock);
    shared->balance++;
    pthread_mutex_unlock(&shared->lock);
    return 0;
}

int main(void) {
    shared = malloc(sizeof *shared);
    shared->balance = 0;
    pthread_mutex_init(&shared->lock, 0);
    while (__VERIFIER_nondet_int()) {
        pthread_t t;
        pthread_create(&t, 0, deposit, 0);
    }
    int balance = shared->balance;
    return balance;
}
