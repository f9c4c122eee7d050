// A pointer among the arguments of a function that takes any number of them, in a list that is kept.
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int total;
va_list *kept;
void add(int many, ...) {
    va_list rest;
    va_start(rest, many);
    kept = &rest;
    for (int i = 0; i < many; i++) {
        int *each = va_arg(*kept, int *); // blocker
        pthread_mutex_lock(&lock);
        total += *each;
        pthread_mutex_unlock(&lock);
    }
    va_end(rest);
}
void *work(void *arg) { int one = 1; add(1, &one); return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    assert(total == 1);
    return 0;
}
