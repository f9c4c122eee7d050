#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int ready, turn, seen;
int data, list[2];
_Atomic(int *) published;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *reader(void *none)
{
    if (atomic_load_explicit(&ready, memory_order_acquire))
        seen = atomic_load_explicit(&turn, memory_order_relaxed);
    return none;
}

static void publish(int n)
{
    list[n & 1] = n;
    atomic_store_explicit(&published, &list[n & 1], memory_order_relaxed);
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    data = 7;
    int n = data + 1;
    if (n > 3)
        atomic_store_explicit(&turn, n, memory_order_relaxed);
    atomic_store_explicit(&ready, data, memory_order_relaxed);
    int *fresh = malloc(sizeof *fresh);
    pthread_mutex_lock(&lock);
    data = 8;
    free(fresh);
    atomic_store_explicit(&seen, 3, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
    publish(n);
    for (int i = 0; i < 2; i++) {
        list[i]++;
        atomic_store_explicit(&turn, list[0], memory_order_relaxed);
    }
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 2, memory_order_relaxed);
    return 0;
}
