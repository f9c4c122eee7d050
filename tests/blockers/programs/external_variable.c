// A variable that another file of the program defines.
#include <assert.h>
#include <pthread.h>
struct options { int limit; int *table; };
extern struct options options;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int used;
void *work(void *arg) {
    pthread_mutex_lock(&lock);
    if (options.table[0] < 3) // blocker
        used++;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    work(0);
    pthread_join(t, 0);
    assert(used <= 2);
    return 0;
}
