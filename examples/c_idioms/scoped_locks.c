// A lock is released where its scope ends, by the attribute cleanup.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t lock;
    int balance;
    int bookings;
};

static struct account account = {PTHREAD_MUTEX_INITIALIZER, 100, 0};

static void unlock(pthread_mutex_t **lock)
{
    pthread_mutex_unlock(*lock);
}

#define SCOPED(m) \
    __attribute__((cleanup(unlock))) pthread_mutex_t *scoped_ = &(m); \
    pthread_mutex_lock(scoped_)

static int withdraw(struct account *a, int amount)
{
    SCOPED(a->lock);
    if (a->balance < amount)
        return -1;
    a->balance -= amount;
    a->bookings++;
    return 0;
}

static void *customer(void *argument)
{
    struct account *a = argument;
    int failures = 0;
    for (int i = 0; i < 3; i++)
        if (withdraw(a, 30) != 0)
            failures++;
    return (void *)(long)failures;
}

static int balance(struct account *a)
{
    SCOPED(a->lock);
    return a->balance;
}

int main(void)
{
    pthread_t one, two;
    if (pthread_create(&one, NULL, customer, &account) != 0)
        return 1;
    if (pthread_create(&two, NULL, customer, &account) != 0)
        return 1;
    int seen = balance(&account);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return seen >= account.balance ? 0 : 1;
}
