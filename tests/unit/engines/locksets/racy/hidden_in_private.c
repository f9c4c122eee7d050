// An object is published inside of another one, whose name was lost before.

#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct inner {
    int v;
};

struct outer {
    struct inner *in;
};

struct outer *head;

void *work(void *unused)
{
    struct outer *o = head;
    if (o)
        o->in->v = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    struct outer *either;
    struct outer *o = malloc(sizeof *o);
    struct outer *other = malloc(sizeof *other);
    struct inner *p = malloc(sizeof *p);
    p->v = 0;
    o->in = p;
    other->in = p;
    if (__VERIFIER_nondet_int())
        either = o;
    else
        either = other;
    head = either;
    pthread_create(&t, 0, work, 0);
    p->v = 2;
    pthread_exit(0);
}
