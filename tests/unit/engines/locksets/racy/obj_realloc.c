// An object that a thread has got moves to another place.

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

void *w(void *p)
{
    struct j *q = p;
    q->s += q->n;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    struct j *y = malloc(sizeof *y);
    y->n = 1;
    y->s = 0;
    pthread_create(&a,0,w,y);
    struct j *z = realloc(y, 2 * sizeof *z);
    pthread_create(&b,0,w,z);
    return 0;
}
