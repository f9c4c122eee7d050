// Free buffers are the bits of a mask; whoever takes a bit under the lock may use the buffer
// without it.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

#define BUFFERS 3
#define THREADS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned in_use;
static int buffers[BUFFERS];

static int acquire(void)
{
    int found = -1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BUFFERS; i++) {
        if (!(in_use & (1u << i))) {
            in_use |= 1u << i;
            found = i;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void release(int i)
{
    pthread_mutex_lock(&lock);
    in_use &= ~(1u << i);
    pthread_mutex_unlock(&lock);
}

static void *client(void *unused)
{
    for (int i = 0; i < 2; i++) {
        int b = acquire();
        if (b < 0)
            continue;
        buffers[b] = i;
        buffers[b]++;
        release(b);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, client, NULL) != 0)
            abort();
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return in_use == 0 ? 0 : 1;
}
