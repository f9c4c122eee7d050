// Memory that is mapped from a file.
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
struct page { pthread_mutex_t lock; int count; };
struct page *shared;
void *work(void *arg) {
    pthread_mutex_lock(&shared->lock);
    shared->count++;
    pthread_mutex_unlock(&shared->lock);
    return arg;
}
int main(void) {
    pthread_t t;
    shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0); // blocker
    pthread_mutex_init(&shared->lock, 0);
    pthread_create(&t, 0, work, 0);
    work(0);
    pthread_join(t, 0);
    assert(shared->count >= 2);
    return 0;
}
