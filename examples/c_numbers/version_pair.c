// A version is even while nobody writes, and data is half of it.
//
// expect assertions: SAFE
// expect races: SAFE

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
    pthread_mutex_lock(&lock);
    assert(version == 2 * data);
    pthread_mutex_unlock(&lock);
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
