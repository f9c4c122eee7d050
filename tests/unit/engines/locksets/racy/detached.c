// A thread that was detached is not waited for.

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

int main(int c, char **v)
{
    pthread_t t;
    for (int i = 0; i < c; i++) {
        pthread_create(&t,0,f,0);
        pthread_detach(t);
        x++;
    }
    return 0;
}
