// A recursive function under a recursive lock; with RACY: the variable is written once without.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#define _GNU_SOURCE
#include <pthread.h>
static pthread_mutex_t m;
static int level, deepest;
static void visit(int n)
{
    pthread_mutex_lock(&m);
    level++;
    if (n > 0)
        visit(n - 1);
    if (level > deepest)
        deepest = level;
    level--;
    pthread_mutex_unlock(&m);
#ifdef RACY
    deepest = 0;
#endif
}
static void *worker(void *arg) { visit(2); return arg; }
int main(void)
{
    pthread_t s, t;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_create(&s, 0, worker, 0);
    pthread_create(&t, 0, worker, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return deepest;
}
