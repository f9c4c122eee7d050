// The bug: the message is handed over before its sum is written. The correct program is message.c.
//
// expect assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct message {
    int number;
    int sum;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct message *box;

static void *work(void *argument)
{
    for (int i = 0; i < 3; i++) {
        struct message *fresh = malloc(sizeof *fresh);
        fresh->number = i;
        fresh->sum = 0;
        pthread_mutex_lock(&lock);
        if (box == NULL) {
            box = fresh;
        }
        pthread_mutex_unlock(&lock);
        fresh->sum = i + 1;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    while (1) {
        pthread_mutex_lock(&lock);
        struct message *got = box;
        box = NULL;
        pthread_mutex_unlock(&lock);
        if (got != NULL) {
            assert(got->sum == got->number + 1);
            free(got);
        }
    }
}
