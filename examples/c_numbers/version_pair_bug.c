// The bug: the reader takes no lock. The correct program is version_pair.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned version, data;

static void *writer(void *argument)
{
    pthread_mutex_lock(&lock);
    version++;
    data++;
    version++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *reader(void *argument)
{
    assert(version == 2 * data);
    return NULL;
}

int main(void)
{
    while (1) {
        pthread_t thread;
        pthread_create(&thread, NULL, writer, NULL);
        pthread_create(&thread, NULL, reader, NULL);
    }
}
