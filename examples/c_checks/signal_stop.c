// A signal handler beside a thread that shares nothing; with RACY: a counter is shared, too.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>
#include <string.h>
static atomic_int hits;
static int rounds;
static void on_term(int sig) { (void)sig; hits = 1; }
static void *worker(void *arg)
{
    for (int i = 0; i < 10; i++) {
#ifdef RACY
        rounds++;
#endif
        usleep(1);
    }
    return arg;
}
int main(void)
{
    pthread_t t;
    struct sigaction sa;
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = on_term;
    sigaction(SIGTERM, &sa, NULL);
    pthread_create(&t, NULL, worker, NULL);
    for (int i = 0; i < 10 && rounds < 100; i++)
        rounds++;
    pthread_join(t, NULL);
    return rounds;
}
