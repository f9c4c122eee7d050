// Threads of two kinds are created in two loops and by threads themselves.
//
// expect assertions: SAFE
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
    pthread_t child;
    pthread_create(&child, NULL, up, NULL);
    pthread_mutex_lock(&lock);
    if (level > 0)
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
    pthread_mutex_lock(&lock);
    assert(level >= 0 && level <= 5);
    pthread_mutex_unlock(&lock);
    return 0;
}
