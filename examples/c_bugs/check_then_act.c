// A license server: check and act are two critical sections; an assertion finds out.
//
// expect assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define SEATS 2
static struct { pthread_mutex_t lock; int used; int refused; } pool = {PTHREAD_MUTEX_INITIALIZER, 0, 0};
struct client { pthread_t thread; int number; int served; };
static int is_free(void)
{
    pthread_mutex_lock(&pool.lock);
    int found = pool.used < SEATS;
    if (!found) pool.refused++;
    pthread_mutex_unlock(&pool.lock);
    return found;
}
static void take(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.used++;
    assert(pool.used <= SEATS);
    pthread_mutex_unlock(&pool.lock);
}
static void give(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.used--;
    pthread_mutex_unlock(&pool.lock);
}
static void *run(void *arg)
{
    struct client *c = arg;
    for (int i = 0; i < 3; i++) {
        if (is_free()) {
            take();
            c->served++;
            give();
        }
    }
    return NULL;
}
int main(void)
{
    struct client *clients = calloc(4, sizeof *clients);
    if (clients == NULL) return 1;
    for (int i = 0; i < 4; i++) {
        clients[i].number = i;
        if (pthread_create(&clients[i].thread, NULL, run, &clients[i]) != 0) return 1;
    }
    for (int i = 0; i < 4; i++) pthread_join(clients[i].thread, NULL);
    free(clients);
    return 0;
}
