// The bug: the largest value is forgotten by a reset. The correct program is min_max.c.
//
// expect assertions: UNSAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int smallest, largest;

static void *measure(void *argument)
{
    int value = __VERIFIER_nondet_int();
    pthread_mutex_lock(&lock);
    if (value < smallest)
        smallest = value;
    if (value > largest)
        largest = value;
    assert(smallest <= largest);
    smallest = value;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    largest = value;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *look(void *argument)
{
    pthread_mutex_lock(&lock);
    assert(smallest <= largest);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    while (1) {
        pthread_t thread;
        pthread_create(&thread, NULL, measure, NULL);
        pthread_create(&thread, NULL, look, NULL);
    }
}
