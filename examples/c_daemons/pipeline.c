// Three stages connected by bounded queues of records on the heap; poison pills announce the end.
//
// expect races: SAFE

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

#define CAPACITY 16
#define PARSERS 2

struct record {
    unsigned id;
    size_t length;
    char line[128];
    unsigned words;
};

struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t not_empty, not_full;
    struct record *slots[CAPACITY];
    unsigned head, tail, count;
};

static struct queue raw, parsed;
static unsigned long total_words, total_records;

static void queue_init(struct queue *q)
{
    pthread_mutex_init(&q->mutex, NULL);
    pthread_cond_init(&q->not_empty, NULL);
    pthread_cond_init(&q->not_full, NULL);
    q->head = q->tail = q->count = 0;
}

static void queue_put(struct queue *q, struct record *r)
{
    pthread_mutex_lock(&q->mutex);
    while (q->count == CAPACITY)
        pthread_cond_wait(&q->not_full, &q->mutex);
    q->slots[q->tail] = r;
    q->tail = (q->tail + 1) % CAPACITY;
    q->count++;
    pthread_cond_signal(&q->not_empty);
    pthread_mutex_unlock(&q->mutex);
}

static struct record *queue_take(struct queue *q)
{
    struct record *r;

    pthread_mutex_lock(&q->mutex);
    while (q->count == 0)
        pthread_cond_wait(&q->not_empty, &q->mutex);
    r = q->slots[q->head];
    q->slots[q->head] = NULL;
    q->head = (q->head + 1) % CAPACITY;
    q->count--;
    pthread_cond_signal(&q->not_full);
    pthread_mutex_unlock(&q->mutex);
    return r;
}

static void *reader(void *arg)
{
    FILE *in = arg;
    unsigned id = 0;

    for (;;) {
        struct record *r = malloc(sizeof *r);

        if (r == NULL)
            break;
        if (fgets(r->line, sizeof r->line, in) == NULL) {
            free(r);
            break;
        }
        r->id = id++;
        r->length = strlen(r->line);
        r->words = 0;
        queue_put(&raw, r);
    }
    for (int i = 0; i < PARSERS; i++)
        queue_put(&raw, NULL);
    return NULL;
}

static void *parser(void *arg)
{
    struct record *r;

    (void)arg;
    while ((r = queue_take(&raw)) != NULL) {
        int inside = 0;

        for (size_t i = 0; i < r->length; i++) {
            int space = isspace((unsigned char)r->line[i]);

            if (!space && !inside)
                r->words++;
            inside = !space;
        }
        queue_put(&parsed, r);
    }
    queue_put(&parsed, NULL);
    return NULL;
}

static void *writer(void *arg)
{
    int ended = 0;

    (void)arg;
    while (ended < PARSERS) {
        struct record *r = queue_take(&parsed);

        if (r == NULL) {
            ended++;
            continue;
        }
        total_words += r->words;
        total_records++;
        free(r);
    }
    return NULL;
}

int main(void)
{
    pthread_t rd, ps[PARSERS], wr;

    queue_init(&raw);
    queue_init(&parsed);
    if (pthread_create(&rd, NULL, reader, stdin) != 0)
        return 1;
    for (int i = 0; i < PARSERS; i++)
        if (pthread_create(&ps[i], NULL, parser, NULL) != 0)
            abort();
    if (pthread_create(&wr, NULL, writer, NULL) != 0)
        abort();
    pthread_join(rd, NULL);
    for (int i = 0; i < PARSERS; i++)
        pthread_join(ps[i], NULL);
    pthread_join(wr, NULL);
    printf("%lu words in %lu records\n", total_words, total_records);
    return 0;
}
