// Time-varying locking (Table 2): which lock protects the buffer depends on the phase.
// check with: --entry fill --entry drain
// expect races: SAFE
#include <pthread.h>

enum phase { FILLING, DRAINING };

static pthread_mutex_t fill_lock = PTHREAD_MUTEX_INITIALIZER;  /* protects the buffer while FILLING */
static pthread_mutex_t drain_lock = PTHREAD_MUTEX_INITIALIZER; /* and while DRAINING */
static enum phase phase = FILLING;                             /* written under both locks */
static int buffer;

void fill(void)
{
    pthread_mutex_lock(&fill_lock);
    if (phase == FILLING) {
        buffer = 1;
        pthread_mutex_lock(&drain_lock);
        phase = DRAINING;
        pthread_mutex_unlock(&drain_lock);
#ifdef BUG
        buffer = 2;
#endif
    }
    pthread_mutex_unlock(&fill_lock);
}

void drain(void)
{
    pthread_mutex_lock(&drain_lock);
    if (phase == DRAINING)
        buffer = 0;
    pthread_mutex_unlock(&drain_lock);
}
