// A function is called that somebody else looked up.
#include <pthread.h>
typedef void (*action)(void);
extern action find_action(const char *name);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int runs;
void *work(void *arg) {
    action todo = find_action("reload"); // blocker
    pthread_mutex_lock(&lock);
    runs++;
    pthread_mutex_unlock(&lock);
    todo();
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    work(0);
    pthread_join(t, 0);
    return 0;
}
