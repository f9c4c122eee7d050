// A server that starts a thread for every client, for ever.
#include <assert.h>
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int clients, served;
void *serve(void *arg) {
    pthread_mutex_lock(&lock);
    if (clients % 2 == 0)
        served += 2;
    clients++;
    assert(served >= clients - 1);
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    for (;;) {
        pthread_t t;
        pthread_create(&t, 0, serve, 0); // blocker
        pthread_detach(t);
    }
}
