// A bounded buffer with two condition variables and values without bound; with BUG the consumer waits once instead of in a loop.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <assert.h>
#include <pthread.h>

#define SIZE 4
#define ITEMS 10

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int buffer[SIZE];
static int head, tail, count;

static void *producer(void *argument)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (count == SIZE)
            pthread_cond_wait(&not_full, &lock);
        buffer[tail] = i;
        tail = (tail + 1) % SIZE;
        count++;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

static void *consumer(void *argument)
{
    for (int i = 0; i < ITEMS / 2; i++) {
        pthread_mutex_lock(&lock);
#ifdef BUG
        if (count == 0)
#else
        while (count == 0)
#endif
            pthread_cond_wait(&not_empty, &lock);
        assert(count > 0);
        head = (head + 1) % SIZE;
        count--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void)
{
    pthread_t p, c1, c2;
    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c1, NULL, consumer, NULL);
    pthread_create(&c2, NULL, consumer, NULL);
    pthread_join(p, NULL);
    pthread_join(c1, NULL);
    pthread_join(c2, NULL);
    return 0;
}
