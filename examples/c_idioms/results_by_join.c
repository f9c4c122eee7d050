// A thread returns an object of its own, which belongs to whoever joins it.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

#define THREADS 3

struct result {
    int lines;
    int words;
};

static void *count(void *argument)
{
    int from = (int)(long)argument;
    struct result *r = malloc(sizeof *r);
    if (!r)
        return NULL;
    r->lines = 0;
    r->words = 0;
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
        free(r);
    }
    return total.words == 3 * total.lines ? 0 : 1;
}
