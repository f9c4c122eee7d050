// An array of buckets, each with its own lock; any number of threads pick one.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

#define BUCKETS 10

struct bucket {
    int entries;
    pthread_mutex_t lock;
};

static struct bucket table[BUCKETS];

static int hash(int key) { return (unsigned)key % BUCKETS; }

static void *insert(void *unused) {
    int i = hash(__VERIFIER_nondet_int());
    pthread_mutex_lock(&table[i].lock);
    table[i].entries++;
    pthread_mutex_unlock(&table[i].lock);
    return 0;
}

int main(void) {
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&table[i].lock, 0);
    for (;;) {
        pthread_t t;
        pthread_create(&t, 0, insert, 0);
    }
}
