// The bug: the writer takes the lock for reading only. The correct program is rwlock_pair.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

static int left, right;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *write_both(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    left++;
    right++;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void *read_both(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    assert(left == right);
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t writer, reader, other;
    pthread_create(&writer, NULL, write_both, NULL);
    pthread_create(&reader, NULL, read_both, NULL);
    pthread_create(&other, NULL, read_both, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    pthread_join(other, NULL);
    return 0;
}
