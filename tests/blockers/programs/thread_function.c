// A thread is started with a function that somebody else chose.
#include <pthread.h>
extern void *(*choose_worker(void))(void *);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int started;
int main(void) {
    pthread_t t;
    void *(*worker)(void *) = choose_worker(); // blocker
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&lock);
    started++;
    pthread_mutex_unlock(&lock);
    pthread_join(t, 0);
    return 0;
}
