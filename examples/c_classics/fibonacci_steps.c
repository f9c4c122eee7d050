// Two threads add each other's number; the bound is the Fibonacci number, with BUG one less.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

#define ROUNDS 4
static int i = 1, j = 1;

static void *first(void *argument)
{
    for (int k = 0; k < ROUNDS; k++) {
        __VERIFIER_atomic_begin();
        i = i + j;
        __VERIFIER_atomic_end();
    }
    return argument;
}

static void *second(void *argument)
{
    for (int k = 0; k < ROUNDS; k++) {
        __VERIFIER_atomic_begin();
        j = j + i;
        __VERIFIER_atomic_end();
    }
    return argument;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    __VERIFIER_atomic_begin();
    int now_i = i;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    int now_j = j;
    __VERIFIER_atomic_end();
#ifdef BUG
    assert(now_i < 55 && now_j < 55);
#else
    assert(now_i <= 55 && now_j <= 55);
#endif
    return 0;
}
