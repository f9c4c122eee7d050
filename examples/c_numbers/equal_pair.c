// Two numbers are equal outside of critical sections, with one writer and two readers.
//
// expect assertions: SAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void *writer(void *argument)
{
    while (1) {
        pthread_mutex_lock(&lock);
        x++;
        y++;
        pthread_mutex_unlock(&lock);
    }
}

static void *reader(void *argument)
{
    pthread_mutex_lock(&lock);
    assert(x == y);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_create(&c, NULL, reader, NULL);
    return 0;
}
