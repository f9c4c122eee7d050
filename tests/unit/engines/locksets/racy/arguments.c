/* The arguments of main exist: what comes after looking at them happens. */
#include <pthread.h>
int x;
void *work(void *unused)
{
    x++;
    return 0;
}
int main(int count, char **arguments)
{
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    if (count > 0 && arguments[0][0] != 'y')
        x++;
    pthread_join(a, 0);
    return 0;
}
