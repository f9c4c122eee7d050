// The bug: the pointer is set before the object is filled in, and looked at without the lock. The correct program is singleton.c.
//
// expect assertions: UNSAFE

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
    if (settings == NULL) {
        pthread_mutex_lock(&lock);
        settings = calloc(1, sizeof *settings);
        settings->level = 42;
        pthread_mutex_unlock(&lock);
    }
    return settings;
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
