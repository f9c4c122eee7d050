// The size of a vector is never more than its capacity, which grows.
//
// expect assertions: SAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned size, capacity = 4;

static void *push(void *argument)
{
    pthread_mutex_lock(&lock);
    if (size == capacity && capacity < 1000000)
        capacity = capacity + 4;
    if (size < capacity)
        size++;
    assert(size <= capacity);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *pop(void *argument)
{
    pthread_mutex_lock(&lock);
    if (size > 0)
        size--;
    assert(size <= capacity);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    while (1) {
        pthread_t thread;
        pthread_create(&thread, NULL, push, NULL);
        pthread_create(&thread, NULL, pop, NULL);
    }
}
