/* UNSAFE: by rising index, but both may be the same */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
struct account {
    pthread_mutex_t lock;
    int balance;
};
static struct account accounts[3];
static void transfer(int from, int to)
{
    int first = from < to ? from : to, second = from < to ? to : from;
    pthread_mutex_lock(&accounts[first].lock);
    pthread_mutex_lock(&accounts[second].lock);
    accounts[from].balance--;
    accounts[to].balance++;
    pthread_mutex_unlock(&accounts[second].lock);
    pthread_mutex_unlock(&accounts[first].lock);
}
static void *one(void *argument)
{
    transfer(1, 1);
    return argument;
}
int main(void)
{
    pthread_t t[1];
    for (int i = 0; i < 3; i++)
        pthread_mutex_init(&accounts[i].lock, 0);
    pthread_create(&t[0], 0, one, 0);
    pthread_join(t[0], 0);
    return 0;
}
