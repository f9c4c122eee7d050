// A parser of another library.
#include <assert.h>
#include <pthread.h>
struct document { int size; } document;
extern int parse_document(struct document *d, const char *text);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count;
void *worker(void *arg) {
    parse_document(&document, "x"); // blocker
    pthread_mutex_lock(&lock);
    count = count + 1;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(count == 1);
    return 0;
}
