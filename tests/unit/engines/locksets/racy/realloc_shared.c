/* realloc reads and frees what another thread writes. */
#include <pthread.h>
#include <stdlib.h>
int *numbers;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *work(void *unused)
{
    numbers = realloc(numbers, 4 * sizeof *numbers);
    return 0;
}
int main(void)
{
    pthread_t a;
    numbers = malloc(2 * sizeof *numbers);
    numbers[0] = 0;
    pthread_create(&a, 0, work, 0);
    pthread_mutex_lock(&m);
    numbers[0] = 1;
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    return 0;
}
