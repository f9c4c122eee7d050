// A message is complete when it is handed over; one sender and one receiver.
//
// expect assertions: SAFE

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
        fresh->sum = i + 1;
        pthread_mutex_lock(&lock);
        if (box == NULL) {
            box = fresh;
            fresh = NULL;
        }
        pthread_mutex_unlock(&lock);
        free(fresh);
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
