// Transfers between accounts with a lock each: the locks are ordered by the number of the account.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int number, balance;
};

static struct account accounts[2] = {
    { PTHREAD_MUTEX_INITIALIZER, 0, 10 },
    { PTHREAD_MUTEX_INITIALIZER, 1, 10 },
};

static void transfer(struct account *from, struct account *to, int amount)
{
    struct account *low = from->number < to->number ? from : to;
    struct account *high = low == from ? to : from;
    pthread_mutex_lock(&low->lock);
    pthread_mutex_lock(&high->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&high->lock);
    pthread_mutex_unlock(&low->lock);
}

static void *work(void *unused)
{
    transfer(&accounts[0], &accounts[1], 3);
    return NULL;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    transfer(&accounts[1], &accounts[0], 1);
    pthread_join(other, NULL);
    assert(accounts[0].balance == 8 && accounts[1].balance == 12);
    return 0;
}
