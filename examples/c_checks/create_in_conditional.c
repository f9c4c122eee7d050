// A thread is created under a condition, and joined under the same; with RACY: the variable is used in between.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <stdlib.h>
static int value;
static void *worker(void *arg)
{
    value = 7;
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    int started = 0;
    (void)argv;
    if (argc > 1) {
        if (pthread_create(&t, NULL, worker, NULL) == 0)
            started = 1;
        else
            return 1;
    }
#ifdef RACY
    value++;
#endif
    if (started)
        pthread_join(t, NULL);
    value++;
    return value;
}
