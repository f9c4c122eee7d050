// The sessions of sessions.c, one of whose threads still names its session when it has dropped its reference.
//
// expect races: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define SESSIONS 5

struct session {
    int id;
    atomic_int refs;
    pthread_mutex_t lock;
    pthread_cond_t ready;
    int available;
    int closed;
    char *buffer;
};

static atomic_int live;

static struct session *session_new(int id)
{
    struct session *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    s->id = id;
    atomic_init(&s->refs, 2);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->ready, NULL);
    s->available = 0;
    s->closed = 0;
    s->buffer = malloc(64);
    atomic_fetch_add(&live, 1);
    return s;
}

static void session_put(struct session *s)
{
    int old = atomic_fetch_sub(&s->refs, 1);
    assert(old > 0);
    if (old == 1) {
        free(s->buffer);
        pthread_mutex_destroy(&s->lock);
        pthread_cond_destroy(&s->ready);
        free(s);
        atomic_fetch_sub(&live, 1);
    }
}

static void *session_writer(void *arg)
{
    struct session *s = arg;
    for (int i = 0; i < 6; i++) {
        pthread_mutex_lock(&s->lock);
        s->available += 10;
        pthread_cond_signal(&s->ready);
        pthread_mutex_unlock(&s->lock);
    }
    pthread_mutex_lock(&s->lock);
    s->closed = 1;
    pthread_cond_signal(&s->ready);
    pthread_mutex_unlock(&s->lock);
    session_put(s);
    return NULL;
}

static void *session_reader(void *arg)
{
    struct session *s = arg;
    int got = 0;
    pthread_mutex_lock(&s->lock);
    while (!s->closed || s->available > 0) {
        while (s->available == 0 && !s->closed)
            pthread_cond_wait(&s->ready, &s->lock);
        got += s->available;
        s->available = 0;
    }
    pthread_mutex_unlock(&s->lock);
    session_put(s);
    printf("session %d: %d bytes\n", s->id, got);
    return NULL;
}

int main(void)
{
    pthread_t r[SESSIONS], w[SESSIONS];
    for (int i = 0; i < SESSIONS; i++) {
        struct session *s = session_new(i);
        if (!s)
            abort();
        pthread_create(&r[i], NULL, session_reader, s);
        pthread_create(&w[i], NULL, session_writer, s);
    }
    for (int i = 0; i < SESSIONS; i++) {
        pthread_join(r[i], NULL);
        pthread_join(w[i], NULL);
    }
    printf("%d sessions left\n", atomic_load(&live));
    return 0;
}
