#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled;
_Thread_local int own = 2;
int shared, ready;
struct job { int key; int *done; };

void *work(void *given)
{
    struct job *job = given;
    own += job->key;
    pthread_mutex_lock(&lock);
    shared += own;
    ready = 1;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    if (job->key > 1)
        pthread_exit(&job->key);
    return job;
}

int main(void)
{
    pthread_t one, more[2];
    struct job jobs[3] = { { 1 }, { 2 }, { 3 } };
    void *result;
    if (pthread_create(&one, 0, work, &jobs[0]))
        abort();
    for (int i = 0; i < 2; i++)
        pthread_create(&more[i], NULL, work, jobs + 1 + i);
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&filled, &lock);
    pthread_mutex_unlock(&lock);
    pthread_join(one, &result);
    assert(((struct job *)result)->key == 1 && own == 2);
    pthread_join(more[1], 0);
    return shared;
}
