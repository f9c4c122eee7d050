// Pages are free, dirty or clean: three numbers with a constant sum.
//
// expect assertions: SAFE
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
    if (dirty > 0) {
        dirty--;
        clean++;
    }
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
