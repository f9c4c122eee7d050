// Messages go through a ring, and are the consumer's then; with RACY: the producer writes to one that it has put.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <stdlib.h>
#define SIZE 8
struct msg { int kind; int body[4]; };
static struct msg *ring[SIZE];
static int head, count;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, less = PTHREAD_COND_INITIALIZER;
static void put(struct msg *p)
{
    pthread_mutex_lock(&m);
    while (count == SIZE)
        pthread_cond_wait(&less, &m);
    ring[(head + count) % SIZE] = p;
    count++;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&m);
}
static struct msg *get(void)
{
    struct msg *p;
    pthread_mutex_lock(&m);
    while (count == 0)
        pthread_cond_wait(&more, &m);
    p = ring[head];
    ring[head] = NULL;
    head = (head + 1) % SIZE;
    count--;
    pthread_cond_signal(&less);
    pthread_mutex_unlock(&m);
    return p;
}
static void *consumer(void *arg)
{
    for (int i = 0; i < 20; i++) {
        struct msg *p = get();
        p->body[0] += p->kind;
        free(p);
    }
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, consumer, NULL);
    for (int i = 0; i < 20; i++) {
        struct msg *p = calloc(1, sizeof *p);
        if (!p)
            exit(1);
        p->kind = i;
        put(p);
#ifdef RACY
        p->kind = 0;
#endif
    }
    pthread_join(t, NULL);
    return 0;
}
