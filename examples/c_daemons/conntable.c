// A table of connections: references are counted under one lock, and who drops the last one frees the connection.
//
// expect races: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS 16
#define WORKERS 3

struct conn {
    int fd;
    int refs;
    pthread_mutex_t lock;
    unsigned long bytes_in;
    unsigned long bytes_out;
};

static struct conn *table[SLOTS];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static int open_conns;

static struct conn *conn_new(int fd)
{
    struct conn *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->fd = fd;
    c->refs = 1;
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

static int conn_open(int slot)
{
    struct conn *c = conn_new(slot + 3);
    if (!c)
        return -1;
    pthread_mutex_lock(&table_lock);
    if (table[slot] != NULL) {
        pthread_mutex_unlock(&table_lock);
        pthread_mutex_destroy(&c->lock);
        free(c);
        return -1;
    }
    table[slot] = c;
    open_conns++;
    pthread_mutex_unlock(&table_lock);
    return 0;
}

static struct conn *conn_get(int slot)
{
    struct conn *c;
    pthread_mutex_lock(&table_lock);
    c = table[slot];
    if (c) {
        assert(c->refs > 0);
        c->refs++;
    }
    pthread_mutex_unlock(&table_lock);
    return c;
}

static void conn_put(struct conn *c)
{
    int last;
    pthread_mutex_lock(&table_lock);
    c->refs--;
    last = c->refs == 0;
    pthread_mutex_unlock(&table_lock);
    if (last) {
        pthread_mutex_destroy(&c->lock);
        free(c);
    }
}

static void conn_close(int slot)
{
    struct conn *c;
    pthread_mutex_lock(&table_lock);
    c = table[slot];
    if (c) {
        table[slot] = NULL;
        open_conns--;
    }
    pthread_mutex_unlock(&table_lock);
    if (c)
        conn_put(c);
}

static void *worker(void *arg)
{
    unsigned seed = (unsigned)(long)arg;
    for (int i = 0; i < 50; i++) {
        int slot = rand_r(&seed) % SLOTS;
        struct conn *c = conn_get(slot);
        if (!c) {
            conn_open(slot);
            continue;
        }
        pthread_mutex_lock(&c->lock);
        c->bytes_in += 100;
        c->bytes_out += 10;
        pthread_mutex_unlock(&c->lock);
        pthread_mutex_lock(&c->lock);
        int big = c->bytes_in > 500;
        pthread_mutex_unlock(&c->lock);
        conn_put(c);
        if (big)
            conn_close(slot);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[WORKERS];
    for (long i = 0; i < WORKERS; i++)
        if (pthread_create(&t[i], NULL, worker, (void *)(i + 1)) != 0)
            exit(1);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < SLOTS; i++)
        conn_close(i);
    printf("%d left open\n", open_conns);
    return 0;
}
