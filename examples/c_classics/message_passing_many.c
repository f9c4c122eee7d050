// One writer of a sequence, any number of readers who see a prefix; with BUG the copy is published before the number.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_uint written, published;

static void *writer(void *argument)
{
    for (unsigned i = 1; i < 1000000; i++) {
#ifdef BUG
        atomic_store(&published, i);
        atomic_store(&written, i);
#else
        atomic_store(&written, i);
        atomic_store(&published, i);
#endif
    }
    return argument;
}

static void *reader(void *argument)
{
    unsigned p = atomic_load(&published);
    unsigned w = atomic_load(&written);
    assert(w >= p);
    return argument;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    while (__VERIFIER_nondet_int())
        pthread_create(&t, NULL, reader, NULL);
    return 0;
}
