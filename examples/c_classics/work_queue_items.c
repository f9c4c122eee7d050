// A queue of work with a stop flag; items of the heap are handed over; with BUG the producer touches an item after the hand-over.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

struct item {
    struct item *next;
    int payload;
};

static struct item *queue;
static int stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

static void *worker(void *argument)
{
    int sum = 0;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!queue && !stop)
            pthread_cond_wait(&more, &lock);
        struct item *mine = queue;
        if (mine)
            queue = mine->next;
        pthread_mutex_unlock(&lock);
        if (!mine)
            break;
        mine->payload *= 2;
        sum += mine->payload;
        free(mine);
    }
    return (void *)(long)sum;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 5; i++) {
        struct item *item = malloc(sizeof *item);
        if (!item)
            break;
        item->payload = i;
        pthread_mutex_lock(&lock);
        item->next = queue;
        queue = item;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
#ifdef BUG
        item->payload++;
#endif
    }
    pthread_mutex_lock(&lock);
    stop = 1;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
