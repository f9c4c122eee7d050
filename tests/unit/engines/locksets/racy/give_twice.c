// One object is given to two threads.

#include <pthread.h>
#include <stdlib.h>

struct j{
    int v;
};

void*w(void*x){
    struct j*p=x;
    p->v++;
    return 0;
}

int main(){
    pthread_t t;
    struct j*p=malloc(sizeof*p);
    p->v=0;
    pthread_create(&t,0,w,p);
    pthread_create(&t,0,w,p);
    pthread_exit(0);
}
