// A value handed over by a flag under a lock and then used without it; with BUG the flag is raised first.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full;
static int box;

static void *sender(void *argument)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        while (full)
            pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
#ifdef BUG
        pthread_mutex_lock(&lock);
        full = 1;
        pthread_mutex_unlock(&lock);
        box = i;
#else
        box = i;
        pthread_mutex_lock(&lock);
        full = 1;
        pthread_mutex_unlock(&lock);
#endif
        pthread_cond_signal(&changed);
    }
    return argument;
}

static void *receiver(void *argument)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        while (!full)
            pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
        sum += box;
        pthread_mutex_lock(&lock);
        full = 0;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return (void *)(long)sum;
}

int main(void)
{
    pthread_t s, r;
    pthread_create(&s, NULL, sender, NULL);
    pthread_create(&r, NULL, receiver, NULL);
    pthread_join(s, NULL);
    pthread_join(r, NULL);
    return 0;
}
