// The bug: the test is in another section. The correct program is early_exit.c.
//
// expect assertions: UNSAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left = 2;
static int done;

static void *work(void *argument)
{
    while (1) {
        pthread_mutex_lock(&lock);
        int over = left == 0;
        pthread_mutex_unlock(&lock);
        if (over)
            break;
        pthread_mutex_lock(&lock);
        left--;
        done++;
        assert(left >= 0);
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
