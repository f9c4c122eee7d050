// Accounts under their own locks; with RACY: under that of another account.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
struct account { int balance; pthread_mutex_t lock; };
static struct account one = { 0, PTHREAD_MUTEX_INITIALIZER }, two = { 0, PTHREAD_MUTEX_INITIALIZER };
static void deposit(struct account *acc, struct account *locked, int n)
{
    pthread_mutex_lock(&locked->lock);
    acc->balance += n;
    pthread_mutex_unlock(&locked->lock);
}
static void *worker(void *arg)
{
    struct account *acc = arg;
    deposit(acc, acc, 3);
    return NULL;
}
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, worker, &one);
    pthread_create(&t, NULL, worker, &two);
#ifdef RACY
    deposit(&one, &two, 1);
#else
    deposit(&one, &one, 1);
#endif
    deposit(&two, &two, 1);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
