// The bug: the reader does not look whether the version was odd. The correct program is
// sequence_lock.c.
//
// expect assertions: UNSAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint version;
static atomic_int low, high;

static void *write_both(void *unused)
{
    atomic_fetch_add(&version, 1);
    atomic_store(&low, 1);
    atomic_store(&high, 1);
    atomic_fetch_add(&version, 1);
    return NULL;
}

int main(void)
{
    unsigned int before;
    int l, h;
    pthread_t writer;
    pthread_create(&writer, NULL, write_both, NULL);
    do {
        before = atomic_load(&version);
        l = atomic_load(&low);
        h = atomic_load(&high);
    } while (before != atomic_load(&version));
    assert(l == h);
    pthread_join(writer, NULL);
    return 0;
}
