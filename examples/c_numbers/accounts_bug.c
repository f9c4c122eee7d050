// The bug: the two accounts are written in two sections. The correct program is accounts.c.
//
// expect assertions: UNSAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned first = 1000, second = 1000;

static void *transfer(void *argument)
{
    unsigned amount = (unsigned)__VERIFIER_nondet_int();
    pthread_mutex_lock(&lock);
    int enough = first >= amount;
    if (enough)
        first -= amount;
    pthread_mutex_unlock(&lock);
    if (enough) {
        pthread_mutex_lock(&lock);
        second += amount;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *audit(void *argument)
{
    pthread_mutex_lock(&lock);
    assert(first + second == 2000);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    while (1) {
        pthread_t thread;
        pthread_create(&thread, NULL, transfer, NULL);
        pthread_create(&thread, NULL, audit, NULL);
    }
}
