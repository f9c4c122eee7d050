/* Three locks in a circle. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include "background.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&a);
    SLOWLY;
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&b);
    SLOWLY;
    pthread_mutex_lock(&c);
    pthread_mutex_unlock(&c);
    pthread_mutex_unlock(&b);
    return 0;
}

static void *third(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&c);
    SLOWLY;
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&c);
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    start_background();
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_create(&threads[2], 0, third, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    pthread_join(threads[2], 0);
    return 0;
}
