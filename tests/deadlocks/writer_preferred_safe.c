/* Writers are preferred; the mutex is taken inside by both. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include "background.h"

static pthread_rwlock_t lock;
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *reader(void *argument)
{
    (void)argument;
    pthread_rwlock_rdlock(&lock);
    SLOWLY;
    pthread_mutex_lock(&inner);
    pthread_mutex_unlock(&inner);
    pthread_rwlock_unlock(&lock);
    return 0;
}

static void *writer(void *argument)
{
    (void)argument;
    pthread_rwlock_wrlock(&lock);
    pthread_mutex_lock(&inner);
    value = 1;
    pthread_mutex_unlock(&inner);
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t first, second;
    pthread_rwlockattr_t attributes;
    start_background();
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &attributes);
    pthread_create(&first, 0, reader, 0);
    pthread_create(&second, 0, writer, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
