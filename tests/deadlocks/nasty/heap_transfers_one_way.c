/* SAFE: both transfers go from the first to the second account */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
struct account {
    pthread_mutex_t lock;
    int balance;
};
static struct account *a, *b;
static void transfer(struct account *from, struct account *to)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance--;
    to->balance++;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}
static void *one(void *argument)
{
    transfer(a, b);
    return argument;
}
int main(void)
{
    pthread_t t[2];
    a = malloc(sizeof *a);
    b = malloc(sizeof *b);
    if (!a || !b)
        return 1;
    pthread_mutex_init(&a->lock, 0);
    pthread_mutex_init(&b->lock, 0);
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, one, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
