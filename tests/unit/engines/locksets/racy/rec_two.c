// The same with one variable for all ids: only the last thread is joined, several times.

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

static pthread_t t;
static void go(int n)
{
    if (n <= 0) return;
    if (n & 1) pthread_create(&t,0,f,0);
    else pthread_create(&t,0,g,0);
    go(n-1);
    pthread_join(t,0);
}

int main(int c, char **v)
{
    go(c);
    x++;
    return 0;
}
