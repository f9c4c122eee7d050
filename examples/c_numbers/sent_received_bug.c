// The bug: what is received is counted later. The correct program is sent_received.c.
//
// expect assertions: UNSAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned sent, received, pending;

static void *sender(void *argument)
{
    while (1) {
        pthread_mutex_lock(&lock);
        sent++;
        pending++;
        pthread_mutex_unlock(&lock);
    }
}

static void *receiver(void *argument)
{
    while (1) {
        int got = 0;
        pthread_mutex_lock(&lock);
        if (pending > 0) {
            pending--;
            got = 1;
        }
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        received += got;
        assert(sent == received + pending);
        pthread_mutex_unlock(&lock);
    }
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, receiver, NULL);
    pthread_create(&c, NULL, receiver, NULL);
    return 0;
}
