/* Locks a recursive mutex twice. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include "background.h"

static pthread_mutex_t lock;
static int count;

static void inner(void)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
}

static void *outer(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    inner();
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t first, second;
    pthread_mutexattr_t attributes;
    start_background();
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
    pthread_create(&first, 0, outer, 0);
    pthread_create(&second, 0, outer, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
