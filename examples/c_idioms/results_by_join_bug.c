// A thread returns an object of its own, which belongs to whoever joins it. Wrong here: all
// threads count in the same object.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

#define THREADS 3

struct result {
    int lines;
    int words;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct result *common;

static void *count(void *argument)
{
    int from = (int)(long)argument;
    pthread_mutex_lock(&lock);
    if (!common)
        common = calloc(1, sizeof *common);
    struct result *r = common;
    pthread_mutex_unlock(&lock);
    if (!r)
        return NULL;
    for (int i = 0; i < from + 2; i++) {
        r->words += 3;
        r->lines++;
    }
    return r;
}

int main(void)
{
    pthread_t threads[THREADS];
    struct result total = {0, 0};
    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, count, (void *)i) != 0)
            abort();
    for (int i = 0; i < THREADS; i++) {
        void *returned;
        pthread_join(threads[i], &returned);
        struct result *r = returned;
        if (!r)
            continue;
        r->lines += total.lines;
        total.lines = r->lines;
        total.words += r->words;
    }
    return total.words == 3 * total.lines ? 0 : 1;
}
