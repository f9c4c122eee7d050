// The bug: a page that is flushed and evicted is counted twice. The correct program is three_parts.c.
//
// expect assertions: UNSAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

#define PAGES 64
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int unused = PAGES, dirty, clean;

static void *write_page(void *argument)
{
    pthread_mutex_lock(&lock);
    if (unused > 0) {
        unused--;
        dirty++;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *flush(void *argument)
{
    pthread_mutex_lock(&lock);
    int some = dirty > 0;
    if (some)
        dirty--;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    if (some)
        clean++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *evict(void *argument)
{
    pthread_mutex_lock(&lock);
    if (clean > 0) {
        clean--;
        unused++;
    }
    assert(unused + dirty + clean == PAGES);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    while (1) {
        pthread_t thread;
        pthread_create(&thread, NULL, write_page, NULL);
        pthread_create(&thread, NULL, flush, NULL);
        pthread_create(&thread, NULL, evict, NULL);
    }
}
