// As many threads as the command line says, all joined; with RACY: all but the first.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <stdlib.h>
static long result;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg)
{
    long n = (long)arg;
    pthread_mutex_lock(&m);
    result += n;
    pthread_mutex_unlock(&m);
    return NULL;
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4;
    if (n < 1 || n > 64)
        return 2;
    pthread_t *ids = calloc((size_t)n, sizeof *ids);
    if (ids == NULL)
        return 1;
    for (int i = 0; i < n; i++)
        if (pthread_create(&ids[i], NULL, worker, (void *)(long)i) != 0)
            exit(1);
#ifdef RACY
    for (int i = 1; i < n; i++)
#else
    for (int i = 0; i < n; i++)
#endif
        pthread_join(ids[i], NULL);
    free(ids);
    return result == 6;
}
