// An object is made once, by whoever comes first, and is complete for all; any number of threads.
//
// expect assertions: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct settings {
    int level;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct settings *settings;

static struct settings *get(void)
{
    pthread_mutex_lock(&lock);
    if (settings == NULL) {
        settings = malloc(sizeof *settings);
        settings->level = 42;
    }
    struct settings *found = settings;
    pthread_mutex_unlock(&lock);
    return found;
}

static void *work(void *argument)
{
    assert(get()->level == 42);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 10000; i++)
        pthread_create(&thread, NULL, work, NULL);
    return 0;
}
