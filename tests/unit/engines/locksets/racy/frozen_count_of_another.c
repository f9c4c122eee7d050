#include <pthread.h>
#include <stdlib.h>
/* The loop that joins goes by the count of another pool. */
struct pool {
    int count;
    pthread_t threads[4];
};
int total;
void *work(void *arg)
{
    __sync_fetch_and_add(&total, 1);
    return 0;
}
struct pool *create(int count)
{
    struct pool *p = malloc(sizeof *p);
    p->count = count;
    return p;
}
int main(void)
{
    struct pool *p = create(3), *q = create(2);
    for (int i = 0; i < p->count; i++)
        pthread_create(&p->threads[i], 0, work, 0);
    for (int i = 0; i < q->count; i++)
        pthread_join(p->threads[i], 0);
    return total;
}
