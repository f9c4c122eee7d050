// What attributes claim about locks is checked wherever the data is used (by __threadwise_guarded).
// A claim that fails is a finding of its own and ends nothing: the race behind it is one.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect -D FORGOTTEN assertions: UNSAFE
// expect -D FORGOTTEN races: UNSAFE
// expect -D ANOTHER assertions: UNSAFE
// expect -D CALLED assertions: UNSAFE
// expect -D MEMBER assertions: UNSAFE
// expect -D POINTED assertions: UNSAFE

#include <pthread.h>

#define GUARDED_BY(lock) __attribute__((guarded_by(lock)))
#define REQUIRES(...) __attribute__((requires_capability(__VA_ARGS__)))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t another = PTHREAD_MUTEX_INITIALIZER;
static int count GUARDED_BY(mutex);
static int total __attribute__((__guarded_by__(&mutex)));
static int target;
static int *pointer __attribute__((pt_guarded_by(mutex))) = &target;

struct queue {
    pthread_mutex_t lock;
    int size GUARDED_BY(lock);
};
static struct queue queue = {PTHREAD_MUTEX_INITIALIZER, 0};

static void grow(struct queue *given) REQUIRES(given->lock);
static void grow(struct queue *q)
{
    q->size++;
}

static void lock(void) __attribute__((acquire_capability(mutex)));
static void lock(void)
{
    pthread_mutex_lock(&mutex);
}

static void *work(void *unused)
{
#ifdef ANOTHER
    pthread_mutex_lock(&another);
    total++;
    pthread_mutex_unlock(&another);
#endif
    lock();
    count++;
    total += count;
    *pointer = total;
    pthread_mutex_unlock(&mutex);
#ifdef POINTED
    *pointer = 1;
#endif
    (void)unused;
    return NULL;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
#ifdef FORGOTTEN
    count = 7;
#endif
    pthread_mutex_lock(&queue.lock);
    grow(&queue);
    pthread_mutex_unlock(&queue.lock);
#ifdef CALLED
    grow(&queue);
#endif
#ifdef MEMBER
    if (queue.size > 3)
        return 1;
#endif
    pthread_join(other, NULL);
    return 0;
}
