// A thread is joined, but not the one that it has started.

#include <pthread.h>
#include <stdlib.h>
int x;
void *f(void *p)
{
    x++;
    return 0;
}

void *g(void *p)
{
    x += 2;
    return 0;
}

void *h(void *p)
{
    pthread_t t;
    pthread_create(&t,0,f,0);
    return 0;
}

int main(int c, char **v)
{
    pthread_t t;
    for (int i = 0; i < c; i++) {
        pthread_create(&t,0,h,0);
        pthread_join(t,0);
    }
    x++;
    return 0;
}
