// Two threads write bit-fields of different storage units; with RACY: of the same one.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
struct flags { unsigned a : 3; unsigned b : 5; unsigned : 0; unsigned c : 4; };
static struct flags f;
static void *one(void *arg) { f.a = 1; return arg; }
static void *two(void *arg)
{
#ifdef RACY
    f.b = 2;
#else
    f.c = 2;
#endif
    return arg;
}
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, one, 0);
    pthread_create(&t, 0, two, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return f.a + f.b + f.c;
}
