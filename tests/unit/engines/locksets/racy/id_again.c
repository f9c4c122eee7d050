/* One global id for two threads: only the second one is joined. */
#include <pthread.h>
pthread_t id;
int x;
void *work(void *unused)
{
    x++;
    return 0;
}
void *other(void *unused)
{
    return 0;
}
int main(void)
{
    pthread_create(&id, 0, work, 0);
    pthread_create(&id, 0, other, 0);
    pthread_join(id, 0);
    x++;
    return 0;
}
