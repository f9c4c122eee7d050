// A collector of metrics: its threads are started first and wait until the configuration is read; a handler wakes main by a pipe.
//
// expect races: SAFE

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAMPLERS 3
#define SOURCES 8

struct config {
    unsigned interval;
    int sources;
    int verbose;
};

static struct config config;
static int wake[2] = {-1, -1};

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int configured;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long samples[SOURCES];
static unsigned long rounds;
static int stopping;

static void on_signal(int number)
{
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    if (wake[1] >= 0 && write(wake[1], &byte, 1) < 0)
        byte = 0;
    errno = saved;
}

static int install(int number)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, NULL);
}

static void wait_for_configuration(void)
{
    pthread_mutex_lock(&gate);
    while (!configured)
        pthread_cond_wait(&opened, &gate);
    pthread_mutex_unlock(&gate);
}

static void *sampler(void *argument)
{
    unsigned long seed = (unsigned long)(size_t)argument;
    wait_for_configuration();
    for (;;) {
        int source = (int)(seed++ % (unsigned long)config.sources);
        pthread_mutex_lock(&lock);
        if (stopping) {
            pthread_mutex_unlock(&lock);
            break;
        }
        samples[source % SOURCES] += seed;
        rounds++;
        pthread_mutex_unlock(&lock);
        if (config.verbose)
            puts("sampled");
        usleep(config.interval);
    }
    return NULL;
}

static void read_configuration(int count, char **arguments)
{
    config.interval = 1000;
    config.sources = SOURCES;
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "-v") == 0)
            config.verbose = 1;
        else if (strcmp(arguments[i], "-s") == 0)
            config.sources = 4;
    }
}

static void open_gate(void)
{
    pthread_mutex_lock(&gate);
    configured = 1;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&gate);
}

int main(int argc, char **argv)
{
    pthread_t threads[SAMPLERS];
    unsigned char byte;

    if (install(SIGTERM) < 0 || install(SIGINT) < 0)
        return 1;
    if (pipe(wake) < 0) {
        perror("pipe");
        return 1;
    }
    for (size_t i = 0; i < SAMPLERS; i++)
        if (pthread_create(&threads[i], NULL, sampler, (void *)i))
            return 1;
    read_configuration(argc, argv);
    open_gate();
    while (read(wake[0], &byte, 1) != 1 || byte != SIGTERM)
        fputs("still here\n", stderr);
    pthread_mutex_lock(&lock);
    stopping = 1;
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < SAMPLERS; i++)
        pthread_join(threads[i], NULL);
    printf("%lu rounds\n", rounds);
    close(wake[0]);
    return 0;
}
