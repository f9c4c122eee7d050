// Part of what was given away is kept.

#include <pthread.h>
#include <stdlib.h>

struct j{
    int v;
    struct j*n;
};

void*w(void*x){
    struct j*p=x;
    p->n->v++;
    return 0;
}

int main(){
    pthread_t t;
    struct j*p=malloc(sizeof*p),*q=malloc(sizeof*q);
    q->v=0;
    p->n=q;
    pthread_create(&t,0,w,p);
    q->v=2;
    pthread_exit(0);
}
