// Threads of a procedure that calls itself between start and join run at the same time.

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

static void go(int n)
{
    pthread_t t;
    if (n <= 0) return;
    pthread_create(&t,0,f,0);
    go(n-1);
    pthread_join(t,0);
}

int main(int c, char **v)
{
    go(c);
    x++;
    return 0;
}
