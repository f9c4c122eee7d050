// The ids of two threads change places before one is joined.

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
    pthread_t t, u, w;
    pthread_create(&u,0,g,0);
    for (int i = 0; i < c; i++) {
        pthread_create(&t,0,f,0);
        w = t;
        t = u;
        u = w;
        pthread_join(t,0);
    }
    return 0;
}
