/* A global id is overwritten through a pointer. */
#include <pthread.h>
pthread_t ids[2], *last = &ids[0];
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
    pthread_create(&ids[0], 0, work, 0);
    pthread_create(&ids[1], 0, other, 0);
    *last = ids[1];
    pthread_join(ids[0], 0);
    x++;
    return 0;
}
