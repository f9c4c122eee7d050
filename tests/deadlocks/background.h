/* What every server has: with -DBACKGROUND a thread that loops for ever and takes part in nothing.
   With -DNATIVE the threads are slowed down where that makes the deadlock likely. */
#ifndef BACKGROUND_H
#define BACKGROUND_H
#include <pthread.h>
#ifdef NATIVE
#include <unistd.h>
#define SLOWLY usleep(100000)
#else
#define SLOWLY ((void)0)
#endif

#ifdef BACKGROUND
static pthread_mutex_t background_lock = PTHREAD_MUTEX_INITIALIZER;
static int background_ticks;
static void *background(void *argument)
{
    (void)argument;
    while (1) {
        pthread_mutex_lock(&background_lock);
        background_ticks = !background_ticks;
        pthread_mutex_unlock(&background_lock);
    }
    return 0;
}
static void start_background(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, background, 0);
}
#else
static void start_background(void) {}
#endif
#endif
