// Each thread frees the job that it was given, and writes to where that says; with RACY: main writes to the job, too.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <stdlib.h>
struct job { int n; int *out; };
static int results[4];
static void *worker(void *arg)
{
    struct job *j = arg;
    *j->out = j->n * 2;
    free(j);
    return NULL;
}
int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++) {
        struct job *j = malloc(sizeof *j);
        if (!j)
            exit(1);
        j->n = i;
        j->out = &results[i];
        if (pthread_create(&t[i], NULL, worker, j))
            exit(1);
#ifdef RACY
        j->n = 0;
#endif
    }
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return results[3];
}
