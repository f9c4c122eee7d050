// Slots with a lock each, by the same index; with RACY: by the next one.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <stdlib.h>
#define N 8
static pthread_mutex_t locks[N];
static int slots[N];
static void bump(unsigned key)
{
    unsigned i = key % N;
#ifdef RACY
    unsigned j = (key + 1) % N;
#else
    unsigned j = i;
#endif
    pthread_mutex_lock(&locks[j]);
    slots[i]++;
    pthread_mutex_unlock(&locks[j]);
}
static void *worker(void *arg)
{
    for (int n = 0; n < 100; n++)
        bump((unsigned)rand());
    return arg;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return slots[0];
}
