// The bug: each takes the left fork first; all may hold one and wait for the other. The correct
// program is philosophers.c.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: UNSAFE
// expect mutex: SAFE

#include <pthread.h>

#define N 3

static pthread_mutex_t fork_[N];
static int meals[N];

static void *dine(void *argument)
{
    int me = *(int *)argument;
    int left = me, right = (me + 1) % N;
    int low = left;
    int high = right;
    pthread_mutex_lock(&fork_[low]);
    pthread_mutex_lock(&fork_[high]);
    meals[me]++;
    pthread_mutex_unlock(&fork_[high]);
    pthread_mutex_unlock(&fork_[low]);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    int numbers[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&fork_[i], NULL);
    for (int i = 0; i < N; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, dine, &numbers[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
