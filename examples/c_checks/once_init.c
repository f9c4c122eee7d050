// A configuration that pthread_once makes; with RACY: whoever comes first makes it.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <stdlib.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int *config;
static void setup(void)
{
    config = malloc(2 * sizeof *config);
    if (!config)
        exit(1);
    config[0] = 1;
    config[1] = 2;
}
static void *worker(void *arg)
{
#ifdef RACY
    if (!config)
        setup();
#else
    pthread_once(&once, setup);
#endif
    return (void *)(long)config[0];
}
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, worker, 0);
    pthread_create(&t, 0, worker, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
