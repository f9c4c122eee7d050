// The statistics of stats.c; a counter that is missing is added under the read lock with which it was looked for.
//
// expect assertions: SAFE
// expect races: UNSAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 4
#define NAME 32

struct counter {
    char name[NAME];
    atomic_ulong value;
    struct counter *next;
};

struct statistics {
    pthread_rwlock_t lock;
    struct counter *counters;
    unsigned size;
    unsigned generation; /* changes with every new counter */
};

static struct statistics statistics = {.lock = PTHREAD_RWLOCK_INITIALIZER};
static atomic_bool stop;

static pthread_mutex_t peak_mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long peak;
static time_t peak_time;

static struct counter *lookup(struct statistics *s, const char *name)
{
    struct counter *counter = s->counters;

    while (counter != NULL && strcmp(counter->name, name) != 0)
        counter = counter->next;
    return counter;
}

/* The counter of that name, made if need be; counters are never removed while threads run. */
static struct counter *statistics_counter(struct statistics *s, const char *name)
{
    struct counter *counter;

    pthread_rwlock_rdlock(&s->lock);
    counter = lookup(s, name);
    if (counter == NULL) {
        counter = malloc(sizeof *counter);
        if (counter != NULL) {
            strncpy(counter->name, name, NAME - 1);
            counter->name[NAME - 1] = '\0';
            atomic_init(&counter->value, 0);
            counter->next = s->counters;
            s->counters = counter;
            s->size++;
            s->generation++;
        }
    }
    pthread_rwlock_unlock(&s->lock);
    return counter;
}

static void note_peak(unsigned long value)
{
    pthread_mutex_lock(&peak_mutex);
    if (value > peak) {
        peak = value;
        peak_time = time(NULL);
    }
    pthread_mutex_unlock(&peak_mutex);
}

static void count(const char *name)
{
    struct counter *counter = statistics_counter(&statistics, name);

    if (counter == NULL) {
        fprintf(stderr, "stats: out of memory\n");
        exit(1);
    }
    note_peak(atomic_fetch_add(&counter->value, 1) + 1);
}

static void *worker(void *argument)
{
    static const char *const names[] = {"requests", "errors", "timeouts"};
    unsigned seed = (unsigned)(size_t)argument;

    while (!atomic_load(&stop)) {
        seed = seed * 1103515245u + 12345u;
        count(names[(seed >> 16) % 3]);
        if ((seed >> 24) == 0)
            count("rare");
        usleep(100);
    }
    return NULL;
}

static void report(struct statistics *s, FILE *file)
{
    unsigned long sum = 0;

    pthread_rwlock_rdlock(&s->lock);
    fprintf(file, "%u counters, generation %u\n", s->size, s->generation);
    for (struct counter *counter = s->counters; counter != NULL; counter = counter->next) {
        unsigned long value = atomic_load(&counter->value);
        fprintf(file, "  %-20s %lu\n", counter->name, value);
        sum += value;
    }
    pthread_rwlock_unlock(&s->lock);
    fprintf(file, "  %-20s %lu\n", "sum", sum);

    pthread_mutex_lock(&peak_mutex);
    unsigned long value = peak;
    time_t when = peak_time;
    pthread_mutex_unlock(&peak_mutex);
    struct tm parts;
    char text[32];
    if (localtime_r(&when, &parts) != NULL && strftime(text, sizeof text, "%H:%M:%S", &parts) > 0)
        fprintf(file, "  highest              %lu at %s\n", value, text);
}

static void *reporter(void *argument)
{
    FILE *file = argument;

    while (!atomic_load(&stop)) {
        sleep(1);
        report(&statistics, file);
        fflush(file);
    }
    return NULL;
}

static void statistics_free(struct statistics *s)
{
    while (s->counters != NULL) {
        struct counter *counter = s->counters;
        s->counters = counter->next;
        free(counter);
    }
    pthread_rwlock_destroy(&s->lock);
}

int main(int argc, char **argv)
{
    pthread_t workers[WORKERS], reporting;
    FILE *file = stdout;
    int seconds = 5, option;

    while ((option = getopt(argc, argv, "o:s:")) != -1) {
        switch (option) {
        case 'o':
            file = fopen(optarg, "w");
            if (file == NULL) {
                perror(optarg);
                return 1;
            }
            break;
        case 's':
            seconds = atoi(optarg);
            break;
        default:
            fprintf(stderr, "usage: %s [-o file] [-s seconds]\n", argv[0]);
            return 2;
        }
    }
    for (size_t i = 0; i < WORKERS; i++)
        if (pthread_create(&workers[i], NULL, worker, (void *)(i + 1)) != 0) {
            perror("stats");
            return 1;
        }
    if (pthread_create(&reporting, NULL, reporter, file) != 0) {
        perror("stats");
        return 1;
    }
    sleep(seconds > 0 ? (unsigned)seconds : 1);
    atomic_store(&stop, true);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    pthread_join(reporting, NULL);
    report(&statistics, file);
    statistics_free(&statistics);
    if (file != stdout)
        fclose(file);
    return 0;
}
