// Producer and consumer (Figure 1, Table 2): a flag says whose turn it is.
// expect races: SAFE
#include <pthread.h>
#include <stdatomic.h>

extern int get_new_data(void);

static int data;
static atomic_int flag;

static void *producer(void *unused)
{
    (void)unused;
    for (;;) {
        while (atomic_load(&flag) != 0)
            ;
#ifdef BUG
        atomic_store(&flag, 1);
        data = get_new_data();
#else
        data = get_new_data();
        atomic_store(&flag, 1);
#endif
    }
    return NULL;
}

static void *consumer(void *unused)
{
    int copy = 0;
    (void)unused;
    for (;;) {
        while (atomic_load(&flag) != 1)
            ;
        copy = data;
        atomic_store(&flag, 0);
    }
    return copy ? unused : NULL;
}

int main(void)
{
    pthread_t p, c;
    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    return 0;
}
