// The smallest is never larger than the largest value that was seen.
//
// expect assertions: SAFE
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
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    while (1) {
        pthread_t thread;
        pthread_create(&thread, NULL, measure, NULL);
    }
}
