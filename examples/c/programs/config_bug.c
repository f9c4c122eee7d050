// The configuration of config.c; workers keep pointers to texts that the next reload frees.
//
// expect assertions: SAFE
// expect races: UNSAFE
// expect mutex: SAFE

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 3
#define TEXT 128

struct config {
    char *host;
    char *greeting;
    int port;
    int level;
    unsigned generation;
};

static struct config *current;
static pthread_rwlock_t config_lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int running = 1;
static const char *config_path = "/etc/greeter.conf";

static void read_lock(void)
{
    int error = pthread_rwlock_rdlock(&config_lock);
    if (error != 0) {
        fprintf(stderr, "config: read lock: %s\n", strerror(error));
        abort();
    }
}

static void write_lock(void)
{
    int error = pthread_rwlock_wrlock(&config_lock);
    if (error != 0) {
        fprintf(stderr, "config: write lock: %s\n", strerror(error));
        abort();
    }
}

static void unlock(void)
{
    pthread_rwlock_unlock(&config_lock);
}

static void config_free(struct config *config)
{
    if (config == NULL)
        return;
    free(config->host);
    free(config->greeting);
    free(config);
}

static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    return text;
}

static int config_set(struct config *config, const char *key, const char *value)
{
    if (strcmp(key, "host") == 0) {
        free(config->host);
        config->host = strdup(value);
        return config->host == NULL ? -1 : 0;
    }
    if (strcmp(key, "greeting") == 0) {
        free(config->greeting);
        config->greeting = strdup(value);
        return config->greeting == NULL ? -1 : 0;
    }
    if (strcmp(key, "port") == 0) {
        config->port = atoi(value);
        return config->port > 0 && config->port < 65536 ? 0 : -1;
    }
    if (strcmp(key, "level") == 0) {
        config->level = atoi(value);
        return 0;
    }
    return -1;
}

/* A new configuration from a file; NULL if it cannot be read or is wrong. */
static struct config *config_parse(const char *path)
{
    char line[256];
    int number = 0;

    FILE *file = fopen(path, "r");
    if (file == NULL)
        return NULL;
    struct config *config = calloc(1, sizeof *config);
    if (config == NULL) {
        fclose(file);
        return NULL;
    }
    config->port = 80;
    config->host = strdup("localhost");
    config->greeting = strdup("hello");
    while (fgets(line, sizeof line, file) != NULL) {
        number++;
        char *text = trim(line);
        if (*text == '#' || *text == '\0')
            continue;
        char *equals = strchr(text, '=');
        if (equals == NULL)
            goto wrong;
        *equals = '\0';
        if (config_set(config, trim(text), trim(equals + 1)) != 0)
            goto wrong;
    }
    fclose(file);
    return config;
wrong:
    fprintf(stderr, "%s:%d: wrong line\n", path, number);
    fclose(file);
    config_free(config);
    return NULL;
}

static int config_reload(const char *path)
{
    struct config *fresh = config_parse(path);
    if (fresh == NULL)
        return -1;
    write_lock();
    struct config *old = current;
    fresh->generation = old == NULL ? 1 : old->generation + 1;
    current = fresh;
    unlock();
    config_free(old);
    return 0;
}

/* What a worker needs, copied while the configuration stays. */
static unsigned config_greeting(char *text, size_t size, int *port)
{
    read_lock();
    struct config *config = current;
    *port = config->port;
    unsigned generation = config->generation;
    unlock();
    snprintf(text, size, "%s from %s", config->greeting, config->host);
    return generation;
}

static void *worker(void *argument)
{
    char text[TEXT];
    unsigned long served = 0;
    unsigned seen = 0;
    int port;

    (void)argument;
    while (atomic_load(&running)) {
        unsigned generation = config_greeting(text, sizeof text, &port);
        if (generation != seen) {
            seen = generation;
            printf("generation %u: %s, port %d\n", generation, text, port);
        }
        served++;
        usleep(1000);
    }
    printf("%lu served\n", served);
    return NULL;
}

static void *reloader(void *argument)
{
    struct timespec pause = {.tv_sec = 1, .tv_nsec = 0};

    (void)argument;
    while (atomic_load(&running)) {
        nanosleep(&pause, NULL);
        if (config_reload(config_path) != 0)
            fprintf(stderr, "config: %s was not read, the old one stays\n", config_path);
    }
    return NULL;
}

static void start(pthread_t *thread, void *(*function)(void *))
{
    int error = pthread_create(thread, NULL, function, NULL);
    if (error != 0) {
        fprintf(stderr, "config: pthread_create: %s\n", strerror(error));
        exit(1);
    }
}

int main(int argc, char **argv)
{
    pthread_t workers[WORKERS], reload;
    unsigned seconds = 10;
    int option;

    while ((option = getopt(argc, argv, "f:s:")) != -1) {
        switch (option) {
        case 'f':
            config_path = optarg;
            break;
        case 's':
            seconds = (unsigned)strtoul(optarg, NULL, 10);
            break;
        default:
            fprintf(stderr, "usage: %s [-f file] [-s seconds]\n", argv[0]);
            return 2;
        }
    }
    if (config_reload(config_path) != 0) {
        fprintf(stderr, "config: %s: %s\n", config_path, strerror(errno));
        return 1;
    }
    start(&reload, reloader);
    for (int i = 0; i < WORKERS; i++)
        start(&workers[i], worker);
    sleep(seconds);
    atomic_store(&running, 0);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    pthread_join(reload, NULL);
    config_free(current);
    return 0;
}
