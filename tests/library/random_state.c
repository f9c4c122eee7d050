// States of random numbers are the caller's; those without one race. Not all numbers are tried.
//
// expect assertions: UNKNOWN
// expect -D SEED races: UNSAFE
// expect -D OWN races: SAFE
// expect -D SHARED races: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

static void mentioned(void)
{
    (void)erand48;
    (void)nrand48;
    (void)jrand48;
    (void)mrand48;
    (void)seed48;
    (void)lcong48;
    (void)drand48_r;
    (void)lrand48_r;
    (void)mrand48_r;
    (void)erand48_r;
    (void)nrand48_r;
    (void)jrand48_r;
    (void)srand48_r;
    (void)seed48_r;
    (void)lcong48_r;
    (void)arc4random_buf;
    (void)getentropy;
}

static struct drand48_data shared;

static void *work(void *unused)
{
#ifdef SEED
    mrand48();
#else
    struct drand48_data own;
    struct drand48_data *used = &own;
    long number;
#ifdef SHARED
    used = &shared;
#endif
    srand48_r(1, used);
    lrand48_r(used, &number);
#endif
    (void)shared;
    return unused;
}

int main(void)
{
#if defined(SEED) || defined(OWN) || defined(SHARED)
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
#else
    unsigned short state[3] = { 1, 2, 3 };
    long number = nrand48(state);
    assert(number >= 0 && number <= RAND_MAX);
#endif
    (void)mentioned;
    return 0;
}
