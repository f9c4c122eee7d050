// A text that is written and copied under a lock; with RACY: copied without.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <stdio.h>
#include <string.h>
static char name[64];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *rename_it(void *arg)
{
    char local[64];
    snprintf(local, sizeof local, "worker %d", 3);
    pthread_mutex_lock(&m);
    strcpy(name, local);
    pthread_mutex_unlock(&m);
    return arg;
}
static void *show(void *arg)
{
    char copy[64];
#ifdef RACY
    strncpy(copy, name, sizeof copy - 1);
#else
    pthread_mutex_lock(&m);
    strncpy(copy, name, sizeof copy - 1);
    pthread_mutex_unlock(&m);
#endif
    copy[63] = 0;
    printf("%s\n", copy);
    return arg;
}
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, rename_it, 0);
    pthread_create(&t, 0, show, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
