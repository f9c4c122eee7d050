// Messages with a flexible array member go through a queue with one lock; the receiver frees them.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

struct message {
    struct message *next;
    int length;
    int words[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct message *queue;
static long received;

static void *receiver(void *unused)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        struct message *message = queue;
        if (message)
            queue = message->next;
        pthread_mutex_unlock(&lock);
        if (message) {
            for (int k = 0; k < message->length; k++)
                received += message->words[k];
            free(message);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, receiver, NULL) != 0)
        abort();
    for (int i = 0; i < 2; i++) {
        struct message *message = malloc(sizeof *message + 2 * sizeof(int));
        if (!message)
            abort();
        message->length = 2;
        for (int k = 0; k < 2; k++)
            message->words[k] = i + k;
        pthread_mutex_lock(&lock);
        message->next = queue;
        queue = message;
        pthread_mutex_unlock(&lock);
    }
    pthread_join(thread, NULL);
    return received <= 6 ? 0 : 1;
}
