// Readers count themselves; the first one locks the writers out, the last one lets them in again.
// Wrong here: a writer waits for other writers only.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static int readers;
static int writing;
static int route[2];

static void read_begin(void)
{
    pthread_mutex_lock(&lock);
    while (writing)
        pthread_cond_wait(&idle, &lock);
    readers++;
    pthread_mutex_unlock(&lock);
}

static void read_end(void)
{
    pthread_mutex_lock(&lock);
    readers--;
    if (readers == 0)
        pthread_cond_broadcast(&idle);
    pthread_mutex_unlock(&lock);
}

static void write_begin(void)
{
    pthread_mutex_lock(&lock);
    while (writing)
        pthread_cond_wait(&idle, &lock);
    writing = 1;
    pthread_mutex_unlock(&lock);
}

static void write_end(void)
{
    pthread_mutex_lock(&lock);
    writing = 0;
    pthread_cond_broadcast(&idle);
    pthread_mutex_unlock(&lock);
}

static void *look_up(void *unused)
{
    read_begin();
    int sum = route[0] + route[1];
    read_end();
    return (void *)(long)sum;
}

static void *update(void *unused)
{
    write_begin();
    route[0]++;
    route[1]--;
    write_end();
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;
    if (pthread_create(&a, NULL, look_up, NULL) != 0)
        return 1;
    if (pthread_create(&b, NULL, look_up, NULL) != 0)
        return 1;
    if (pthread_create(&c, NULL, update, NULL) != 0)
        return 1;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return route[0] == 1 ? 0 : 1;
}
