// A statistics daemon that works in phases: sensors deliver into buffers of their own; at the end of each round
// all meet at a barrier, one of them adds the round up, and at a second barrier the next round begins. A reader
// asks for the latest figures at any time; the names of the sensors are made once.

#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SENSORS 4
#define ROUNDS 20
#define SAMPLES 64
#define HISTORY 16

struct sensor {
    pthread_t thread;
    unsigned number;
    unsigned seed;
    unsigned filled;
    double samples[SAMPLES]; /* of the sensor between the barriers, of the one who adds up within them */
};

struct figures {
    unsigned round;
    unsigned samples;
    double least;
    double greatest;
    double mean;
};

/* What is published: replaced as a whole. */
static struct {
    pthread_rwlock_t lock;
    struct figures latest;
    struct figures history[HISTORY];
    unsigned long rounds;
} published = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static struct sensor sensors[SENSORS];
static pthread_barrier_t round_full;
static pthread_barrier_t round_empty;
static pthread_once_t names_once = PTHREAD_ONCE_INIT;
static char names[SENSORS][16]; /* written once, before the first use */
static bool finished;           /* written between the barriers only */
static atomic_bool reader_stops;
static pthread_key_t scratch_key;

static void make_names(void)
{
    for (unsigned i = 0; i < SENSORS; i++)
        snprintf(names[i], sizeof names[i], "sensor-%c", (char)('a' + i));
}

static const char *name_of(unsigned sensor)
{
    pthread_once(&names_once, make_names);
    return names[sensor];
}

/* A buffer of the thread, freed when it ends. */
static char *scratch(void)
{
    char *buffer = pthread_getspecific(scratch_key);

    if (buffer == NULL) {
        buffer = malloc(128);
        if (buffer == NULL)
            abort();
        pthread_setspecific(scratch_key, buffer);
    }
    return buffer;
}

static double measure(struct sensor *sensor)
{
    sensor->seed = sensor->seed * 1664525u + 1013904223u;
    return (double)(sensor->seed >> 8) / (1u << 24);
}

static void sample(struct sensor *sensor)
{
    unsigned count = 8 + sensor->seed % (SAMPLES - 8);

    for (sensor->filled = 0; sensor->filled < count; sensor->filled++)
        sensor->samples[sensor->filled] = measure(sensor);
}

/* All sensors wait at the second barrier now. */
static struct figures add_up(unsigned round)
{
    struct figures figures = {.round = round, .least = 1.0};
    double sum = 0.0;

    for (unsigned i = 0; i < SENSORS; i++) {
        for (unsigned j = 0; j < sensors[i].filled; j++) {
            double value = sensors[i].samples[j];
            if (value < figures.least)
                figures.least = value;
            if (value > figures.greatest)
                figures.greatest = value;
            sum += value;
        }
        figures.samples += sensors[i].filled;
        sensors[i].filled = 0;
    }
    figures.mean = figures.samples > 0 ? sum / figures.samples : 0.0;
    return figures;
}

static void publish(const struct figures *figures)
{
    pthread_rwlock_wrlock(&published.lock);
    published.latest = *figures;
    published.history[published.rounds % HISTORY] = *figures;
    published.rounds++;
    pthread_rwlock_unlock(&published.lock);
}

static bool latest(struct figures *figures)
{
    bool any;

    pthread_rwlock_rdlock(&published.lock);
    any = published.rounds > 0;
    *figures = published.latest;
    pthread_rwlock_unlock(&published.lock);
    return any;
}

static double average_of_means(void)
{
    double sum = 0.0;

    pthread_rwlock_rdlock(&published.lock);
    unsigned long count = published.rounds < HISTORY ? published.rounds : HISTORY;
    for (unsigned long i = 0; i < count; i++)
        sum += published.history[i].mean;
    pthread_rwlock_unlock(&published.lock);
    return count > 0 ? sum / (double)count : 0.0;
}

static void *sensor_main(void *argument)
{
    struct sensor *self = argument;

    for (unsigned round = 0;; round++) {
        sample(self);
        int elected = pthread_barrier_wait(&round_full);
        if (elected == PTHREAD_BARRIER_SERIAL_THREAD) {
            struct figures figures = add_up(round);
            publish(&figures);
            if (round + 1 == ROUNDS)
                finished = true;
        }
        pthread_barrier_wait(&round_empty);
        if (finished)
            break;
    }
    char *line = scratch();
    snprintf(line, 128, "%s has stopped\n", name_of(self->number));
    fputs(line, stderr);
    return NULL;
}

static void *reader_main(void *argument)
{
    unsigned long *questions = argument;
    struct timespec pause = {.tv_nsec = 200000};
    struct figures figures;

    while (!atomic_load_explicit(&reader_stops, memory_order_acquire)) {
        if (latest(&figures)) {
            char *line = scratch();
            snprintf(line, 128, "round %u: %u samples, %.3f to %.3f, mean %.3f\n", figures.round, figures.samples,
                     figures.least, figures.greatest, figures.mean);
            (*questions)++;
        }
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static void must(int error, const char *what)
{
    if (error != 0) {
        fprintf(stderr, "phases: %s: %s\n", what, strerror(error));
        exit(EXIT_FAILURE);
    }
}

int main(void)
{
    pthread_t reader;
    unsigned long questions = 0;

    must(pthread_key_create(&scratch_key, free), "pthread_key_create");
    must(pthread_barrier_init(&round_full, NULL, SENSORS), "pthread_barrier_init");
    must(pthread_barrier_init(&round_empty, NULL, SENSORS), "pthread_barrier_init");
    must(pthread_create(&reader, NULL, reader_main, &questions), "pthread_create");
    for (unsigned i = 0; i < SENSORS; i++) {
        sensors[i].number = i;
        sensors[i].seed = 17 * i + 3;
        must(pthread_create(&sensors[i].thread, NULL, sensor_main, &sensors[i]), "pthread_create");
    }
    for (unsigned i = 0; i < SENSORS; i++)
        must(pthread_join(sensors[i].thread, NULL), "pthread_join");
    atomic_store_explicit(&reader_stops, true, memory_order_release);
    must(pthread_join(reader, NULL), "pthread_join");

    printf("%lu rounds, %lu questions, %.3f on average; last was %s\n", published.rounds, questions, average_of_means(),
           name_of(SENSORS - 1));
    pthread_barrier_destroy(&round_empty);
    pthread_barrier_destroy(&round_full);
    pthread_key_delete(scratch_key);
    return EXIT_SUCCESS;
}
