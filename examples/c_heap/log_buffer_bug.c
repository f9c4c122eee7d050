// The bug: room is looked for before the lock is taken. The correct program is log_buffer.c.
//
// expect assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define ROOM 64

struct log {
    pthread_mutex_t lock;
    unsigned used;
    char text[ROOM];
};

static struct log *log_;

extern unsigned __VERIFIER_nondet_uint(void);

static void *work(void *argument)
{
    unsigned wanted = __VERIFIER_nondet_uint();
    pthread_mutex_lock(&log_->lock);
    int fits = wanted <= ROOM - log_->used;
    pthread_mutex_unlock(&log_->lock);
    pthread_mutex_lock(&log_->lock);
    if (fits)
        log_->used += wanted;
    assert(log_->used <= ROOM);
    pthread_mutex_unlock(&log_->lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    log_ = calloc(1, sizeof *log_);
    pthread_mutex_init(&log_->lock, NULL);
    while (1)
        pthread_create(&thread, NULL, work, NULL);
}
