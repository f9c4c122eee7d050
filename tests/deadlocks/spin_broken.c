/* Spin locks in opposite orders. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include "background.h"

static pthread_spinlock_t a, b;

static void *one(void *argument)
{
    (void)argument;
    pthread_spin_lock(&a);
    SLOWLY;
    pthread_spin_lock(&b);
    pthread_spin_unlock(&b);
    pthread_spin_unlock(&a);
    return 0;
}

static void *other(void *argument)
{
    (void)argument;
    pthread_spin_lock(&b);
    SLOWLY;
    pthread_spin_lock(&a);
    pthread_spin_unlock(&a);
    pthread_spin_unlock(&b);
    return 0;
}

int main(void)
{
    pthread_t first, second;
    start_background();
    pthread_spin_init(&a, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_init(&b, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&first, 0, one, 0);
    pthread_create(&second, 0, other, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
