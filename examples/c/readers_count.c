// Readers exclude the writer by a semaphore that the first one takes and the last one gives back.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static int readers, data;
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t room;

static void *read_data(void *unused)
{
    pthread_mutex_lock(&count_lock);
    if (readers++ == 0)
        sem_wait(&room);
    pthread_mutex_unlock(&count_lock);
    int once = data;
    assert(data == once);
    pthread_mutex_lock(&count_lock);
    if (--readers == 0)
        sem_post(&room);
    pthread_mutex_unlock(&count_lock);
    return NULL;
}

static void *write_data(void *unused)
{
    sem_wait(&room);
    data++;
    sem_post(&room);
    return NULL;
}

int main(void)
{
    pthread_t writer, first, second;
    sem_init(&room, 0, 1);
    pthread_create(&writer, NULL, write_data, NULL);
    pthread_create(&first, NULL, read_data, NULL);
    pthread_create(&second, NULL, read_data, NULL);
    pthread_join(writer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
