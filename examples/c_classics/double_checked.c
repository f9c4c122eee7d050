// Initialisation checked twice, with an atomic flag; with BUG the flag is set before the data.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static int table[8];

static int value_of(int i)
{
    if (!atomic_load(&ready)) {
        pthread_mutex_lock(&lock);
        if (!atomic_load(&ready)) {
#ifdef BUG
            atomic_store(&ready, 1);
#endif
            for (int k = 0; k < 8; k++)
                table[k] = k * k;
            atomic_store(&ready, 1);
        }
        pthread_mutex_unlock(&lock);
    }
    return table[i];
}

static void *worker(void *argument)
{
    int *result = argument;
    *result = value_of(3);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int results[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, &results[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return results[0] - results[2];
}
