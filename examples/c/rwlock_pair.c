// A writer keeps two variables equal under a read-write lock; readers see them equal.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

static int left, right;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *write_both(void *unused)
{
    pthread_rwlock_wrlock(&lock);
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
