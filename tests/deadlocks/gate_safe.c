/* Opposite orders, but only behind a gate lock. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include "background.h"

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&gate);
    SLOWLY;
    pthread_mutex_lock(&a);
    SLOWLY;
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&gate);
    return 0;
}

static void *other(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&gate);
    SLOWLY;
    pthread_mutex_lock(&b);
    SLOWLY;
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&gate);
    return 0;
}

int main(void)
{
    pthread_t first, second;
    start_background();
    pthread_create(&first, 0, one, 0);
    pthread_create(&second, 0, other, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
