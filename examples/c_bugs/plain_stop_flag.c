// A daemon whose stop flag is a plain int, set by main and polled by workers without a lock.
//
// expect races: UNSAFE

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int stopping;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static int jobs, done;
static void *worker(void *arg)
{
    long id = (long)arg;
    while (!stopping) {
        pthread_mutex_lock(&lock);
        while (jobs == 0 && !stopping)
            pthread_cond_wait(&wake, &lock);
        if (jobs > 0) {
            jobs--;
            done++;
        }
        pthread_mutex_unlock(&lock);
        if (id == 0)
            usleep(10);
    }
    return NULL;
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2;
    pthread_t threads[4];
    if (n < 1 || n > 4)
        n = 2;
    for (long i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, worker, (void *)i) != 0)
            return 1;
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&lock);
        jobs++;
        pthread_cond_signal(&wake);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    stopping = 1;
    pthread_cond_broadcast(&wake);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    printf("%d done\n", done);
    return 0;
}
