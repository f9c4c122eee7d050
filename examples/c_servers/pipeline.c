// A pipeline: lines of text are read, parsed by several threads and added up by one. Between the stages there are
// bounded queues; a NULL (poison pill) per consumer ends a stage.

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARSERS 3
#define CAPACITY 8
#define LINE_SIZE 256
#define NAMES 32

/* A queue of pointers; who takes an item out owns it. */
struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty;
    pthread_cond_t not_full;
    void *items[CAPACITY];
    unsigned head;
    unsigned tail;
    unsigned count;
};

struct line {
    unsigned long number;
    char text[LINE_SIZE];
};

struct record {
    unsigned long line;
    char name[32];
    long amount;
};

struct pipeline {
    struct queue lines;
    struct queue records;
    FILE *input;
    pthread_mutex_t errors_lock;
    unsigned long errors;
    unsigned long last_error; /* the number of a line */
};

struct sum {
    char name[32];
    long amount;
    unsigned long records;
};

static void queue_init(struct queue *queue)
{
    memset(queue, 0, sizeof *queue);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->not_empty, NULL);
    pthread_cond_init(&queue->not_full, NULL);
}

static void queue_destroy(struct queue *queue)
{
    assert(queue->count == 0);
    pthread_cond_destroy(&queue->not_full);
    pthread_cond_destroy(&queue->not_empty);
    pthread_mutex_destroy(&queue->lock);
}

static void queue_put(struct queue *queue, void *item)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->count == CAPACITY)
        pthread_cond_wait(&queue->not_full, &queue->lock);
    queue->items[queue->tail] = item;
    queue->tail = (queue->tail + 1) % CAPACITY;
    queue->count++;
    pthread_cond_signal(&queue->not_empty);
    pthread_mutex_unlock(&queue->lock);
}

static void *queue_get(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->count == 0)
        pthread_cond_wait(&queue->not_empty, &queue->lock);
    void *item = queue->items[queue->head];
    queue->items[queue->head] = NULL;
    queue->head = (queue->head + 1) % CAPACITY;
    queue->count--;
    pthread_cond_signal(&queue->not_full);
    pthread_mutex_unlock(&queue->lock);
    return item;
}

static void *allocate(size_t size)
{
    void *memory = calloc(1, size);
    if (memory == NULL) {
        fprintf(stderr, "pipeline: %s\n", strerror(ENOMEM));
        exit(EXIT_FAILURE);
    }
    return memory;
}

/* First stage: lines of the file, or of a made up one. */
static void *reader(void *argument)
{
    struct pipeline *pipeline = argument;
    unsigned long number = 0;

    for (;;) {
        struct line *line = allocate(sizeof *line);
        line->number = ++number;
        if (pipeline->input != NULL) {
            if (fgets(line->text, sizeof line->text, pipeline->input) == NULL) {
                free(line);
                break;
            }
        } else {
            if (number > 500) {
                free(line);
                break;
            }
            if (number % 50 == 0)
                snprintf(line->text, sizeof line->text, "nonsense\n");
            else
                snprintf(line->text, sizeof line->text, "name%lu %lu\n", number % 7, number);
        }
        queue_put(&pipeline->lines, line);
    }
    for (int i = 0; i < PARSERS; i++)
        queue_put(&pipeline->lines, NULL);
    return NULL;
}

static struct record *parse(const struct line *line)
{
    const char *text = line->text;
    char *end;
    size_t length = 0;

    while (isspace((unsigned char)*text))
        text++;
    while (text[length] != '\0' && !isspace((unsigned char)text[length]))
        length++;
    if (length == 0 || length >= sizeof((struct record *)NULL)->name)
        return NULL;
    errno = 0;
    long amount = strtol(text + length, &end, 10);
    if (errno != 0 || end == text + length)
        return NULL;
    struct record *record = allocate(sizeof *record);
    record->line = line->number;
    memcpy(record->name, text, length);
    record->amount = amount;
    return record;
}

static void note_error(struct pipeline *pipeline, unsigned long line)
{
    pthread_mutex_lock(&pipeline->errors_lock);
    pipeline->errors++;
    if (line > pipeline->last_error)
        pipeline->last_error = line;
    pthread_mutex_unlock(&pipeline->errors_lock);
}

/* Second stage, in several threads. */
static void *parser(void *argument)
{
    struct pipeline *pipeline = argument;
    struct line *line;

    while ((line = queue_get(&pipeline->lines)) != NULL) {
        struct record *record = parse(line);
        if (record != NULL)
            queue_put(&pipeline->records, record);
        else
            note_error(pipeline, line->number);
        free(line);
    }
    queue_put(&pipeline->records, NULL);
    return NULL;
}

/* Third stage: only this thread has the sums; it ends when all parsers have. */
static void *adder(void *argument)
{
    struct pipeline *pipeline = argument;
    struct sum *sums = allocate(NAMES * sizeof *sums);
    unsigned names = 0;
    int running = PARSERS;

    while (running > 0) {
        struct record *record = queue_get(&pipeline->records);
        if (record == NULL) {
            running--;
            continue;
        }
        unsigned i = 0;
        while (i < names && strcmp(sums[i].name, record->name) != 0)
            i++;
        if (i == names && names < NAMES)
            strcpy(sums[names++].name, record->name);
        if (i < names) {
            sums[i].amount += record->amount;
            sums[i].records++;
        } else {
            note_error(pipeline, record->line);
        }
        free(record);
    }
    return sums;
}

static void report(const struct pipeline *pipeline, const struct sum *sums)
{
    for (unsigned i = 0; i < NAMES && sums[i].records > 0; i++)
        printf("%-10s %8ld in %lu records\n", sums[i].name, sums[i].amount, sums[i].records);
    if (pipeline->errors > 0)
        printf("%lu errors, the last in line %lu\n", pipeline->errors, pipeline->last_error);
}

static void start(pthread_t *thread, void *(*run)(void *), struct pipeline *pipeline)
{
    int error = pthread_create(thread, NULL, run, pipeline);
    if (error != 0) {
        fprintf(stderr, "pipeline: %s\n", strerror(error));
        exit(EXIT_FAILURE);
    }
}

int main(int argc, char **argv)
{
    static struct pipeline pipeline;
    pthread_t reading, adding, parsing[PARSERS];
    void *sums;

    if (argc > 1) {
        pipeline.input = fopen(argv[1], "r");
        if (pipeline.input == NULL) {
            perror(argv[1]);
            return EXIT_FAILURE;
        }
    }
    queue_init(&pipeline.lines);
    queue_init(&pipeline.records);
    pthread_mutex_init(&pipeline.errors_lock, NULL);

    start(&adding, adder, &pipeline);
    for (int i = 0; i < PARSERS; i++)
        start(&parsing[i], parser, &pipeline);
    start(&reading, reader, &pipeline);

    pthread_join(reading, NULL);
    for (int i = 0; i < PARSERS; i++)
        pthread_join(parsing[i], NULL);
    pthread_join(adding, &sums);
    report(&pipeline, sums);

    free(sums);
    pthread_mutex_destroy(&pipeline.errors_lock);
    queue_destroy(&pipeline.records);
    queue_destroy(&pipeline.lines);
    if (pipeline.input != NULL)
        fclose(pipeline.input);
    return EXIT_SUCCESS;
}
