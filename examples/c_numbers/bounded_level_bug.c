// The bug: the step is larger than the test says. The correct program is bounded_level.c.
//
// expect assertions: UNSAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

#define LOW 10
#define HIGH 60
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level = 50;

static void *rise(void *argument)
{
    pthread_mutex_lock(&lock);
    if (level + 3 <= HIGH)
        level += 5;
    assert(level >= LOW && level <= HIGH);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *fall(void *argument)
{
    pthread_mutex_lock(&lock);
    if (level - 7 >= LOW)
        level -= 7;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    while (1) {
        pthread_t thread;
        pthread_create(&thread, NULL, rise, NULL);
        pthread_create(&thread, NULL, fall, NULL);
    }
}
