// A thread that finds the work done starts no more work; main goes on creating.
//
// expect assertions: SAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left = 100;
static int done;

static void *work(void *argument)
{
    while (1) {
        pthread_mutex_lock(&lock);
        if (left == 0) {
            pthread_mutex_unlock(&lock);
            break;
        }
        left--;
        done++;
        assert(left + done == 100);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 10000; i++)
        pthread_create(&thread, NULL, work, NULL);
    return 0;
}
