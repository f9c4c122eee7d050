// The bounded queue of queue.c; a reader notes how much it has read after it gave the block away, when a consumer may have freed it.
//
// expect assertions: SAFE
// expect races: UNSAFE
// expect mutex: SAFE

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CAPACITY 8
#define BLOCK 512
#define CONSUMERS 2

struct block {
    size_t length;
    unsigned char bytes[BLOCK];
};

struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t not_empty;
    pthread_cond_t not_full;
    struct block *slots[CAPACITY];
    int first;
    int count;
    int producers; /* that may still put something */
};

struct reader {
    pthread_t thread;
    const char *path;
    struct queue *queue;
    int error;
    size_t total;
};

static struct queue queue = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .not_empty = PTHREAD_COND_INITIALIZER,
    .not_full = PTHREAD_COND_INITIALIZER,
};

static pthread_mutex_t result_mutex = PTHREAD_MUTEX_INITIALIZER;
static uint32_t result;
static size_t blocks;
static int verbose;

static void queue_put(struct queue *q, struct block *block)
{
    pthread_mutex_lock(&q->mutex);
    while (q->count == CAPACITY)
        pthread_cond_wait(&q->not_full, &q->mutex);
    assert(q->count < CAPACITY);
    q->slots[(q->first + q->count) % CAPACITY] = block;
    q->count++;
    pthread_cond_signal(&q->not_empty);
    pthread_mutex_unlock(&q->mutex);
}

/* The oldest block, or NULL once all producers have finished. */
static struct block *queue_get(struct queue *q)
{
    struct block *block = NULL;

    pthread_mutex_lock(&q->mutex);
    while (q->count == 0 && q->producers > 0)
        pthread_cond_wait(&q->not_empty, &q->mutex);
    if (q->count > 0) {
        block = q->slots[q->first];
        q->slots[q->first] = NULL;
        q->first = (q->first + 1) % CAPACITY;
        q->count--;
        pthread_cond_signal(&q->not_full);
    }
    pthread_mutex_unlock(&q->mutex);
    return block;
}

static void queue_finish(struct queue *q)
{
    pthread_mutex_lock(&q->mutex);
    q->producers--;
    if (q->producers == 0)
        pthread_cond_broadcast(&q->not_empty);
    pthread_mutex_unlock(&q->mutex);
}

static void *read_file(void *argument)
{
    struct reader *reader = argument;
    int file = open(reader->path, O_RDONLY);

    if (file < 0) {
        reader->error = errno;
        queue_finish(reader->queue);
        return NULL;
    }
    for (;;) {
        struct block *block = malloc(sizeof *block);
        if (block == NULL) {
            reader->error = ENOMEM;
            break;
        }
        ssize_t length = read(file, block->bytes, sizeof block->bytes);
        if (length <= 0) {
            if (length < 0)
                reader->error = errno;
            free(block);
            break;
        }
        block->length = (size_t)length;
        queue_put(reader->queue, block);
        reader->total += block->length;
    }
    close(file);
    queue_finish(reader->queue);
    return NULL;
}

static uint32_t hash(const struct block *block)
{
    uint32_t value = 2166136261u;

    for (size_t i = 0; i < block->length; i++) {
        value ^= block->bytes[i];
        value *= 16777619u;
    }
    return value;
}

static void *hash_blocks(void *argument)
{
    struct queue *q = argument;
    struct block *block;

    while ((block = queue_get(q)) != NULL) {
        uint32_t value = hash(block);
        if (verbose)
            fprintf(stderr, "%zu bytes, hash %08x\n", block->length, (unsigned)value);
        free(block);
        pthread_mutex_lock(&result_mutex);
        result ^= value;
        blocks++;
        pthread_mutex_unlock(&result_mutex);
    }
    return NULL;
}

static void usage(void)
{
    fprintf(stderr, "usage: queue [-v] file...\n");
    exit(2);
}

int main(int argc, char *argv[])
{
    pthread_t consumers[CONSUMERS];
    int option, failures = 0;

    while ((option = getopt(argc, argv, "v")) != -1) {
        if (option == 'v')
            verbose = 1;
        else
            usage();
    }
    int files = argc - optind;
    if (files <= 0)
        usage();

    struct reader *readers = calloc(files, sizeof *readers);
    if (readers == NULL) {
        perror("queue");
        return 1;
    }
    queue.producers = files;
    for (int i = 0; i < CONSUMERS; i++)
        if (pthread_create(&consumers[i], NULL, hash_blocks, &queue) != 0) {
            fprintf(stderr, "queue: cannot start a thread\n");
            return 1;
        }
    for (int i = 0; i < files; i++) {
        readers[i].path = argv[optind + i];
        readers[i].queue = &queue;
        if (pthread_create(&readers[i].thread, NULL, read_file, &readers[i]) != 0) {
            fprintf(stderr, "queue: cannot start a thread\n");
            return 1;
        }
    }
    for (int i = 0; i < files; i++) {
        pthread_join(readers[i].thread, NULL);
        if (readers[i].error != 0) {
            fprintf(stderr, "queue: %s: %s\n", readers[i].path, strerror(readers[i].error));
            failures++;
        } else if (verbose) {
            fprintf(stderr, "%s: %zu bytes\n", readers[i].path, readers[i].total);
        }
    }
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(consumers[i], NULL);

    printf("%08x (%zu blocks)\n", (unsigned)result, blocks);
    free(readers);
    return failures > 0;
}
