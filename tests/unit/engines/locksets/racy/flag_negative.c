// A flag that is taken need not be positive.

#include <pthread.h>
#include <stdatomic.h>

atomic_int l;
int g;

void *work(void *unused)
{
    while (atomic_exchange(&l, -1))
        ;
    if (atomic_load(&l) <= 0)
        g++;
    atomic_store(&l, 0);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    g = 1;
    pthread_exit(0);
}
