// Vector types.
#include <assert.h>
#include <pthread.h>
typedef int four __attribute__((vector_size(16)));
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int sum;
void *work(void *arg) {
    four v = {1, 2, 3, 4};
    v += v; // blocker
    pthread_mutex_lock(&lock);
    sum += v[0];
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    assert(sum == 2);
    return 0;
}
