// A thread changes the variable with the id that is joined.

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

pthread_t t;
void *h(void *p)
{
    t = pthread_self();
    return 0;
}

int main(int c, char **v)
{
    pthread_t u;
    pthread_create(&u,0,h,0);
    for (int i = 0; i < c; i++) {
        pthread_create(&t,0,f,0);
        pthread_join(t,0);
        x++;
    }
    return 0;
}
