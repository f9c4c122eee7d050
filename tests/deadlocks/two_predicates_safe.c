/* One condition for two predicates; all who wait are woken. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include "background.h"

#define ROOM 1
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items;

static void *producer(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    while (items == ROOM)
        pthread_cond_wait(&changed, &lock);
    items++;
    SLOWLY;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *consumer(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    while (items == 0)
        pthread_cond_wait(&changed, &lock);
    items--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t threads[4];
    start_background();
    pthread_create(&threads[0], 0, consumer, 0);
    pthread_create(&threads[1], 0, consumer, 0);
    SLOWLY;
    pthread_create(&threads[2], 0, producer, 0);
    pthread_create(&threads[3], 0, producer, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    pthread_join(threads[2], 0);
    pthread_join(threads[3], 0);
    return 0;
}
