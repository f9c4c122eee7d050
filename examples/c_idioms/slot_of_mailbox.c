// A mailbox holds one object; the sender gives it away, the receiver uses it without the lock.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

struct letter {
    int number;
    int read;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct letter *box;

static void post(struct letter *letter)
{
    pthread_mutex_lock(&lock);
    while (box)
        pthread_cond_wait(&changed, &lock);
    box = letter;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static struct letter *fetch(void)
{
    pthread_mutex_lock(&lock);
    while (!box)
        pthread_cond_wait(&changed, &lock);
    struct letter *letter = box;
    box = NULL;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return letter;
}

static void *receiver(void *unused)
{
    for (int i = 0; i < 2; i++) {
        struct letter *letter = fetch();
        letter->read = 1;
        free(letter);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, receiver, NULL) != 0)
        return 1;
    for (int i = 0; i < 2; i++) {
        struct letter *letter = malloc(sizeof *letter);
        if (!letter)
            abort();
        letter->number = i;
        letter->read = 0;
        post(letter);
    }
    pthread_join(thread, NULL);
    return 0;
}
