// A pointer to the second object is copied to the first as bytes.

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
    struct j *o;
};

void *w(void *p)
{
    struct j *q = p;
    q->s += q->n;
    if (q->o) q->o->s++;
    return 0;
}

#include <string.h>
int main(void)
{
    pthread_t a, b;
    struct j *y = malloc(sizeof *y), *z = malloc(sizeof *z);
    y->n = z->n = 1;
    y->s = z->s = 0;
    y->o = 0;
    memcpy(&z->o, &y, sizeof y);
    pthread_create(&a,0,w,z);
    pthread_create(&b,0,w,y);
    return 0;
}
