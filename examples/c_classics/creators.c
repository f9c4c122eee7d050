// A thread that creates threads and joins them; main reads after joining the creator; with BUG one is not joined.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>

static int a, b;

static void *leaf_a(void *argument)
{
    a = 1;
    return argument;
}

static void *leaf_b(void *argument)
{
    b = 2;
    return argument;
}

static void *creator(void *argument)
{
    pthread_t x, y;
    pthread_create(&x, NULL, leaf_a, NULL);
    pthread_create(&y, NULL, leaf_b, NULL);
    pthread_join(x, NULL);
#ifdef BUG
    pthread_detach(y);
#else
    pthread_join(y, NULL);
#endif
    return argument;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, creator, NULL);
    pthread_join(t, NULL);
    return a + b;
}
