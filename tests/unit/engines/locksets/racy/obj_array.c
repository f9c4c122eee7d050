// Two elements of one object are passed, and both threads use more than one element.

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
    q[0].s += q[1].n;
    q[1].s++;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    struct j *y = calloc(3, sizeof *y);
    struct j *z = y + 1;
    pthread_create(&a,0,w,y);
    pthread_create(&b,0,w,z);
    return 0;
}
