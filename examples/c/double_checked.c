// Double-checked initialisation: the pointer is atomic, and tested again under the lock.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int object;
static _Atomic(int *) instance;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int *get(void)
{
    int *found = atomic_load(&instance);
    if (!found) {
        pthread_mutex_lock(&lock);
        found = atomic_load(&instance);
        if (!found) {
            object++;
            found = &object;
            atomic_store(&instance, found);
        }
        pthread_mutex_unlock(&lock);
    }
    return found;
}

static void *work(void *unused)
{
    assert(*get() == 1);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
