// A table initialised by pthread_once, read by any number of threads; with BUG one thread counts in it.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table[16];

static void fill(void)
{
    for (int i = 0; i < 16; i++)
        table[i] = i * 3;
}

static void *worker(void *argument)
{
    pthread_once(&once, fill);
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i >= 16)
        return NULL;
#ifdef BUG
    table[i]++;
#endif
    return (void *)(long)table[i];
}

int main(void)
{
    pthread_t t;
    while (__VERIFIER_nondet_int())
        pthread_create(&t, NULL, worker, NULL);
    return 0;
}
