// A semaphore that is 1 is a lock; with RACY: one that is 2 is none.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <semaphore.h>
static sem_t sem;
static int x;
static void *worker(void *arg)
{
    sem_wait(&sem);
    x++;
    sem_post(&sem);
    return arg;
}
int main(void)
{
    pthread_t s, t;
#ifdef RACY
    sem_init(&sem, 0, 2);
#else
    sem_init(&sem, 0, 1);
#endif
    pthread_create(&s, NULL, worker, NULL);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    sem_destroy(&sem);
    return x;
}
