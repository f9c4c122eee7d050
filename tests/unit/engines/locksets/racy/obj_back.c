// Both objects lead to the second one, and that is what the threads write.

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
    struct j *back;
};

void *w(void *p)
{
    struct j *q = p;
    q = q->back;
    q->s++;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    struct j *y = calloc(1, sizeof *y), *z = calloc(1, sizeof *z);
    y->back = z;
    z->back = z;
    pthread_create(&a,0,w,y);
    pthread_create(&b,0,w,z);
    return 0;
}
