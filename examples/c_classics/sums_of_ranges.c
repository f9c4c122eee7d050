// Threads add up ranges of an array that records describe, main adds up their sums; with BUG a range grows once its thread runs.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <assert.h>
#include <pthread.h>

#define THREADS 4
#define LENGTH 32

struct range {
    int from, to;
    long sum;
};

static int value[LENGTH];

static void *add(void *argument)
{
    struct range *mine = argument;
    for (int i = mine->from; i < mine->to; i++)
        mine->sum += value[i];
    return NULL;
}

int main(void)
{
    struct range range[THREADS];
    pthread_t thread[THREADS];
    for (int i = 0; i < LENGTH; i++)
        value[i] = 1;
    for (int i = 0; i < THREADS; i++) {
        range[i].from = i * (LENGTH / THREADS);
        range[i].to = range[i].from + LENGTH / THREADS;
        range[i].sum = 0;
        pthread_create(&thread[i], NULL, add, &range[i]);
#ifdef BUG
        if (i == 1)
            range[0].to++;
#endif
    }
    long total = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        total += range[i].sum;
    }
    assert(total == LENGTH);
    return 0;
}
