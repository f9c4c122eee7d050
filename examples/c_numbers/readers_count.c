// A writer is only inside while the number of readers is 0.
//
// expect assertions: SAFE
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
        assert(readers > 0);
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
    if (!writing && readers == 0) {
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
    pthread_t a, b, c;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_create(&c, NULL, writer, NULL);
    return 0;
}
