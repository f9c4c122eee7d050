// Every thread gets a record of its own; who started it looks at the result when another one was joined.
//
// expect races: UNSAFE

#include <pthread.h>

#define WORKERS 2

int __VERIFIER_nondet_int(void);

struct task {
    int first;
    long sum;
};

static struct task tasks[WORKERS];

static void *work(void *argument)
{
    struct task *task = argument;
    for (int i = __VERIFIER_nondet_int(); i > 0; i--)
        task->sum += task->first + i;
    return NULL;
}

int main(void)
{
    pthread_t threads[WORKERS];
    long sum = 0;
    for (int i = 0; i < WORKERS; i++) {
        tasks[i].first = i;
        tasks[i].sum = 0;
        pthread_create(&threads[i], NULL, work, &tasks[i]);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], NULL);
        sum += tasks[(i + 1) % WORKERS].sum;
    }
    return sum > 0;
}
