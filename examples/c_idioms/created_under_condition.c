// A thread that writes a log is started only if it is asked for, and joined only then.
//
// expect races: SAFE

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int lines;
static int level = 1;

static void *logger(void *unused)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        if (level > 0)
            lines++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int verbose = 0;
    int started = 0;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-v") == 0)
            verbose = 1;
    level = verbose ? 2 : 1;
    if (verbose) {
        if (pthread_create(&thread, NULL, logger, NULL) != 0) {
            fprintf(stderr, "no logger\n");
            return 1;
        }
        started = 1;
    }
    pthread_mutex_lock(&lock);
    lines++;
    pthread_mutex_unlock(&lock);
    if (started)
        pthread_join(thread, NULL);
    printf("%d lines\n", lines);
    return 0;
}
