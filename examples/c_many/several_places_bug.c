// The bug: down tests and decrements in two sections. The correct program is several_places.c.
//
// expect assertions: UNSAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level;

static void *up(void *argument)
{
    pthread_mutex_lock(&lock);
    if (level < 5)
        level++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *down(void *argument)
{
    int some;
    pthread_t child;
    pthread_create(&child, NULL, up, NULL);
    pthread_mutex_lock(&lock);
    some = level > 0;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    if (some)
        level--;
    assert(level >= 0 && level <= 5);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 5000; i++)
        pthread_create(&thread, NULL, up, NULL);
    for (int i = 0; i < 5000; i++)
        pthread_create(&thread, NULL, down, NULL);
    return 0;
}
