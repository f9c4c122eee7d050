// Dekker's algorithm for ever, each access an atomic block; with BUG one thread enters without saying so.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <pthread.h>

extern void abort(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static void reach_error(void) { }
static void check(int condition)
{
    if (!condition) {
    ERROR:
        reach_error();
        abort();
    }
}

static int want0, want1, turn, inside;

static int get(int *p)
{
    __VERIFIER_atomic_begin();
    int value = *p;
    __VERIFIER_atomic_end();
    return value;
}

static void put(int *p, int value)
{
    __VERIFIER_atomic_begin();
    *p = value;
    __VERIFIER_atomic_end();
}

static void *first(void *argument)
{
    for (;;) {
        put(&want0, 1);
        while (get(&want1)) {
            if (get(&turn) != 0) {
                put(&want0, 0);
                while (get(&turn) != 0)
                    ;
                put(&want0, 1);
            }
        }
        inside++;
        check(inside == 1);
        inside--;
        put(&turn, 1);
        put(&want0, 0);
    }
    return argument;
}

static void *second(void *argument)
{
    for (;;) {
#ifndef BUG
        put(&want1, 1);
#endif
        while (get(&want0)) {
            if (get(&turn) != 1) {
                put(&want1, 0);
                while (get(&turn) != 1)
                    ;
                put(&want1, 1);
            }
        }
        inside++;
        check(inside == 1);
        inside--;
        put(&turn, 0);
        put(&want1, 0);
    }
    return argument;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
