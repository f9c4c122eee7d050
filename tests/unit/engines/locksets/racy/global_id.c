// Two threads are started with one variable for their ids; the second one is joined.

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
static void start(int k)
{
    if (k) pthread_create(&t,0,f,0);
    else pthread_create(&t,0,g,0);
}

int main(int c, char **v)
{
    for (int i = 0; i < c; i++) {
        start(v[i][0]);
        start(v[i][1]);
        pthread_join(t,0);
        x++;
    }
    return 0;
}
