#include <pthread.h>
#include <stdlib.h>
/* One thread more is started than is joined: the count is lowered in between, by another name. */
struct pool {
    int count;
    pthread_t *threads;
};
int total;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *work(void *arg)
{
    pthread_mutex_lock(&m);
    total++;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    struct pool *p = malloc(sizeof *p), *q = p;
    p->count = 3;
    p->threads = malloc(3 * sizeof(pthread_t));
    for (int i = 0; i < 3; i++)
        pthread_create(&p->threads[i], 0, work, 0);
    q->count = 2;
    for (int i = 0; i < p->count; i++)
        pthread_join(p->threads[i], 0);
    return total;
}
