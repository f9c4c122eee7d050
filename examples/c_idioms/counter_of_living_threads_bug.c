// Detached threads count themselves out; the parent waits until none is left and reads the total.
// Wrong here: a thread counts itself out before its last write.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

#define CLIENTS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t none_left = PTHREAD_COND_INITIALIZER;
static int living;
static int bytes[CLIENTS];

static void *client(void *argument)
{
    int me = (int)(long)argument;
    for (int i = 0; i < me; i++)
        bytes[me] += 10;
    pthread_mutex_lock(&lock);
    living--;
    if (living == 0)
        pthread_cond_signal(&none_left);
    pthread_mutex_unlock(&lock);
    bytes[me] += 10;
    return NULL;
}

int main(void)
{
    int total = 0;
    for (long i = 0; i < CLIENTS; i++) {
        pthread_t thread;
        pthread_mutex_lock(&lock);
        living++;
        pthread_mutex_unlock(&lock);
        if (pthread_create(&thread, NULL, client, (void *)i) != 0)
            abort();
        pthread_detach(thread);
    }
    pthread_mutex_lock(&lock);
    while (living > 0)
        pthread_cond_wait(&none_left, &lock);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < CLIENTS; i++)
        total += bytes[i];
    return total == 60 ? 0 : 1;
}
