// The bug: writers do not look at the number of readers. The correct program is readers_count.c.
//
// expect assertions: UNSAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int readers, writing;

static void *reader(void *argument)
{
    pthread_mutex_lock(&lock);
    if (!writing) {
        readers++;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        assert(!writing);
        readers--;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *writer(void *argument)
{
    pthread_mutex_lock(&lock);
    if (!writing) {
        writing = 1;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        writing = 0;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    while (1) {
        pthread_t thread;
        pthread_create(&thread, NULL, reader, NULL);
        pthread_create(&thread, NULL, writer, NULL);
    }
}
