// A stack of numbers behind a lock; with BUG popping does not look whether it is empty.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <pthread.h>

#define SIZE 400
#define UNDERFLOW (-2)
#define OVERFLOW (-1)

extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static int top;
static unsigned cells[SIZE];
static pthread_mutex_t lock;

static int push(unsigned x)
{
    if (top == SIZE)
        return OVERFLOW;
    cells[top] = x;
    top++;
    return 0;
}

static int pop(void)
{
    if (top == 0)
        return UNDERFLOW;
    top--;
    return (int)(cells[top] % 100);
}

static void *pusher(void *argument)
{
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&lock);
        if (push(__VERIFIER_nondet_uint() % SIZE) == OVERFLOW)
            reach_error();
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

static void *popper(void *argument)
{
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&lock);
#ifndef BUG
        if (top > 0)
#endif
            if (pop() == UNDERFLOW)
                reach_error();
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutex_init(&lock, 0);
    pthread_create(&a, NULL, pusher, NULL);
    pthread_create(&b, NULL, popper, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
