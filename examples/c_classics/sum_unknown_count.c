// N threads add one each under a lock, N is read; with BUG each adds its index.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern unsigned short __VERIFIER_nondet_ushort(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *worker(void *argument)
{
    int amount = *(int *)argument;
    pthread_mutex_lock(&lock);
    sum += amount;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    int n = __VERIFIER_nondet_ushort();
    pthread_t *threads = malloc((n + 1) * sizeof(pthread_t));
    int *amounts = malloc((n + 1) * sizeof(int));
    if (!threads || !amounts)
        return 0;
    for (int i = 0; i < n; i++) {
#ifdef BUG
        amounts[i] = i;
#else
        amounts[i] = 1;
#endif
        pthread_create(&threads[i], NULL, worker, &amounts[i]);
    }
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    assert(sum == n);
    return 0;
}
