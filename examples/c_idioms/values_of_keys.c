// Every thread keeps its state on the heap behind a key; the destructor frees it.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

struct state {
    int calls;
    int errors;
};

static pthread_key_t key;

static struct state *current(void)
{
    struct state *s = pthread_getspecific(key);
    if (!s) {
        s = calloc(1, sizeof *s);
        if (!s)
            abort();
        pthread_setspecific(key, s);
    }
    return s;
}

static void call(int fails)
{
    struct state *s = current();
    s->calls++;
    if (fails)
        s->errors++;
}

static void *worker(void *unused)
{
    call(0);
    call(1);
    return (void *)(long)current()->calls;
}

int main(void)
{
    pthread_t a, b;
    if (pthread_key_create(&key, free) != 0)
        return 1;
    if (pthread_create(&a, NULL, worker, NULL) != 0)
        abort();
    if (pthread_create(&b, NULL, worker, NULL) != 0)
        abort();
    call(0);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(current());
    pthread_key_delete(key);
    return 0;
}
