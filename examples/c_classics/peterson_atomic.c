// Peterson's algorithm with sequentially consistent atomics; with BUG the turn is given before the flag is raised.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2];
static atomic_int turn;
static int data;

static void enter(int me)
{
    int other = 1 - me;
#ifdef BUG
    atomic_store(&turn, other);
    atomic_store(&flag[me], 1);
#else
    atomic_store(&flag[me], 1);
    atomic_store(&turn, other);
#endif
    while (atomic_load(&flag[other]) && atomic_load(&turn) == other)
        ;
}

static void leave(int me)
{
    atomic_store(&flag[me], 0);
}

static void *thread0(void *argument)
{
    enter(0);
    int before = data;
    data = before + 1;
    assert(data == before + 1);
    leave(0);
    return argument;
}

static void *thread1(void *argument)
{
    enter(1);
    int before = data;
    data = before + 2;
    assert(data == before + 2);
    leave(1);
    return argument;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, thread0, NULL);
    pthread_create(&b, NULL, thread1, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(data == 3);
    return 0;
}
