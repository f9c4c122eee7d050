// The bug: the vector shrinks without looking. The correct program is vector_size.c.
//
// expect assertions: UNSAFE
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

static void *shrink(void *argument)
{
    pthread_mutex_lock(&lock);
    if (capacity > 4)
        capacity = capacity - 4;
    else
        capacity = 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    while (1) {
        pthread_t thread;
        pthread_create(&thread, NULL, push, NULL);
        pthread_create(&thread, NULL, shrink, NULL);
    }
}
