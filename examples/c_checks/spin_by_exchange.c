// A spin lock of an atomic flag; with RACY: given back too early.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <stdatomic.h>
static atomic_flag busy = ATOMIC_FLAG_INIT;
static int depth;
static void spin_lock(void) { while (atomic_flag_test_and_set(&busy)) ; }
static void spin_unlock(void) { atomic_flag_clear(&busy); }
static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++) {
        spin_lock();
        depth++;
#ifdef RACY
        spin_unlock();
        depth--;
#else
        depth--;
        spin_unlock();
#endif
    }
    return arg;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return depth;
}
