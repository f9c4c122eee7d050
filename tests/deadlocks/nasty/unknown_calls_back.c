/* UNSAFE: a function of another file calls back, and that takes the lock again */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
extern void each(void (*f)(void));
static void visit(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}
int main(void)
{
    pthread_mutex_lock(&m);
    each(visit);
    pthread_mutex_unlock(&m);
    return 0;
}
