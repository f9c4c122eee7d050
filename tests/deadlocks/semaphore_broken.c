/* Waits for an item with the lock that the producer needs. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include "background.h"

static sem_t items;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *consumer(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    sem_wait(&items);
    count--;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *producer(void *argument)
{
    (void)argument;
    SLOWLY;
    pthread_mutex_lock(&lock);
    count++;
    sem_post(&items);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t first, second;
    start_background();
    sem_init(&items, 0, 0);
    pthread_create(&first, 0, consumer, 0);
    pthread_create(&second, 0, producer, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
