/* What a system call writes is written. */
#include <pthread.h>
#include <unistd.h>
char buffer[8];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *work(void *unused)
{
    read(0, buffer, sizeof buffer);
    return 0;
}
int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    pthread_mutex_lock(&m);
    buffer[3] = 1;
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    return 0;
}
