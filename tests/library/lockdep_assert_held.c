// What a function claims about the locks of its callers is checked at every call. A claim that
// fails ends nothing: the race behind it is one, and so is the deadlock.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect -D OTHERS races: UNSAFE
// expect -D FORGOTTEN -D WAITS deadlocks: UNSAFE
// expect -D FORGOTTEN assertions: UNSAFE
// expect -D OTHERS assertions: UNSAFE
// expect -D ANOTHER assertions: UNSAFE
// expect -D GIVEN_BACK assertions: UNSAFE

#include <pthread.h>

void lockdep_assert_held(pthread_mutex_t *mutex);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t another = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void increment(void)
{
    lockdep_assert_held(&mutex);
    count++;
}

static void *work(void *unused)
{
#ifdef OTHERS
    increment();
#endif
    (void)unused;
    return NULL;
}

int main(void)
{
    pthread_t other;
    pthread_mutex_lock(&another);
#ifndef FORGOTTEN
#ifndef ANOTHER
    pthread_mutex_lock(&mutex);
#endif
#endif
    pthread_create(&other, NULL, work, NULL);
#ifdef GIVEN_BACK
    pthread_mutex_unlock(&mutex);
#endif
    increment();
#ifdef WAITS
    pthread_mutex_lock(&another);
#endif
    pthread_join(other, NULL);
    return 0;
}
