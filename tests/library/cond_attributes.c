// Attributes of condition variables; one made by pthread_cond_init is empty.
//
// expect assertions: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

int main(void)
{
    clockid_t clock;
    pthread_condattr_t attributes;
    assert(pthread_condattr_init(&attributes) == 0);
    assert(pthread_condattr_getclock(&attributes, &clock) == 0 && clock == CLOCK_REALTIME);
    assert(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
    assert(pthread_condattr_getclock(&attributes, &clock) == 0 && clock == CLOCK_MONOTONIC);
    assert(pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_PRIVATE) == 0);
    pthread_cond_t *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return 1;
    assert(pthread_cond_init(fresh, &attributes) == 0);
    assert(pthread_condattr_destroy(&attributes) == 0);
    pthread_cond_signal(fresh);
    pthread_cond_destroy(fresh);
    free(fresh);
    return 0;
}
