/* Philosophers who all take the left fork first. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include "background.h"

#define PLACES 3
static pthread_mutex_t fork_[PLACES] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER
};
static int places[PLACES] = { 0, 1, 2 };

static void *philosopher(void *argument)
{
    int left = *(int *)argument, right = (left + 1) % PLACES;
    int first = left, second = right;
    pthread_mutex_lock(&fork_[first]);
    SLOWLY;
    pthread_mutex_lock(&fork_[second]);
    pthread_mutex_unlock(&fork_[second]);
    pthread_mutex_unlock(&fork_[first]);
    return 0;
}

int main(void)
{
    pthread_t threads[PLACES];
    start_background();
    for (int i = 0; i < PLACES; i++)
        pthread_create(&threads[i], 0, philosopher, &places[i]);
    for (int i = 0; i < PLACES; i++)
        pthread_join(threads[i], 0);
    return 0;
}
