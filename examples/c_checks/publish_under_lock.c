// An object is filled, then published under a lock; with RACY: and written again.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <stdlib.h>
struct item { int a, b; };
static struct item *current;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *producer(void *arg)
{
    struct item *p = malloc(sizeof *p);
    if (!p)
        return arg;
    p->a = 1;
    p->b = 2;
    pthread_mutex_lock(&m);
    if (current)
        free(current);
    current = p;
    pthread_mutex_unlock(&m);
#ifdef RACY
    p->b = 3;
#endif
    return arg;
}
static void *consumer(void *arg)
{
    int sum = 0;
    pthread_mutex_lock(&m);
    if (current)
        sum = current->a + current->b;
    pthread_mutex_unlock(&m);
    return (void *)(long)sum;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, producer, NULL);
    pthread_create(&u, NULL, consumer, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
