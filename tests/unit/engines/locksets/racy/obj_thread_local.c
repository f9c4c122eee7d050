// An object is also found in a variable, and passed from there.

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

struct j {
    int n;
    int s;
};

static struct j *last;
void *w(void *p)
{
    struct j *q = p;
    q->s++;
    return 0;
}

static struct j *mk(void)
{
    struct j *y = calloc(1, sizeof *y);
    last = y;
    return y;
}

int main(void)
{
    pthread_t a, b;
    struct j *y = mk();
    pthread_create(&a,0,w,y);
    pthread_create(&b,0,w,last);
    return 0;
}
