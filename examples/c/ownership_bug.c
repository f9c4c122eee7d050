// The bug: the sender changes the message after it has given it away. The correct program is
// ownership.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct message { int text; };

static struct message *mailbox;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t delivered = PTHREAD_COND_INITIALIZER;

static void *receive(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!mailbox)
        pthread_cond_wait(&delivered, &lock);
    struct message *mine = mailbox;
    mailbox = NULL;
    pthread_mutex_unlock(&lock);
    mine->text++;
    assert(mine->text == 2);
    return NULL;
}

int main(void)
{
    pthread_t receiver;
    pthread_create(&receiver, NULL, receive, NULL);
    struct message *fresh = malloc(sizeof *fresh);
    if (!fresh)
        exit(1);
    fresh->text = 1;
    pthread_mutex_lock(&lock);
    mailbox = fresh;
    pthread_cond_signal(&delivered);
    pthread_mutex_unlock(&lock);
    fresh->text++;
    pthread_join(receiver, NULL);
    return 0;
}
