/* SAFE: the semaphore is in a record on the heap and posted through a list of pointers */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
struct job {
    sem_t done;
    int number;
};
static struct job *jobs[2];
static void *worker(void *x)
{
    int i;
    for (i = 0; i < 2; i++) sem_post(&jobs[i]->done);
    return x;
}
int main(void)
{
    pthread_t t[1];
    int i;
    for (i = 0; i < 2; i++) {
        jobs[i] = malloc(sizeof(struct job));
        if (!jobs[i]) return 1;
        sem_init(&jobs[i]->done, 0, 0);
    }
    pthread_create(&t[0], 0, worker, 0);
    for (i = 0; i < 2; i++) sem_wait(&jobs[i]->done);
    pthread_join(t[0], 0);
    return 0;
}
