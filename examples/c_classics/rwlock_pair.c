// Two numbers that stay equal under a read-write lock, any number of readers; with BUG a writer takes it for reading.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int x, y;

static void *writer(void *argument)
{
    while (__VERIFIER_nondet_int()) {
#ifdef BUG
        pthread_rwlock_rdlock(&lock);
#else
        pthread_rwlock_wrlock(&lock);
#endif
        int value = __VERIFIER_nondet_int();
        x = value;
        y = value;
        pthread_rwlock_unlock(&lock);
    }
    return argument;
}

static void *reader(void *argument)
{
    pthread_rwlock_rdlock(&lock);
    assert(x == y);
    pthread_rwlock_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t t;
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) {
        pthread_create(&t, NULL, writer, NULL);
        pthread_create(&t, NULL, reader, NULL);
    }
    pthread_rwlock_rdlock(&lock);
    assert(x == y);
    pthread_rwlock_unlock(&lock);
    return 0;
}
