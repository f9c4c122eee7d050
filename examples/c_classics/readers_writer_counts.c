// Readers and a writer by two counts in atomic blocks, any number of readers; with BUG readers do not look for a writer.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

static int writing, readers;
static int x;

static void *writer(void *argument)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(writing == 0 && readers == 0);
    writing = 1;
    __VERIFIER_atomic_end();
    x = 3;
    __VERIFIER_atomic_begin();
    writing = 0;
    __VERIFIER_atomic_end();
    return argument;
}

static void *reader(void *argument)
{
    __VERIFIER_atomic_begin();
#ifndef BUG
    __VERIFIER_assume(writing == 0);
#endif
    readers = readers + 1;
    __VERIFIER_atomic_end();
    int before = x;
    int after = x;
    assert(before == after);
    __VERIFIER_atomic_begin();
    readers = readers - 1;
    __VERIFIER_atomic_end();
    return argument;
}

int main(void)
{
    pthread_t w, r;
    pthread_create(&w, NULL, writer, NULL);
    for (int i = 0; i < 50; i++)
        pthread_create(&r, NULL, reader, NULL);
    pthread_join(w, NULL);
    return 0;
}
