// What was given away is kept in a global.

#include <pthread.h>
#include <stdlib.h>

struct j{
    int v;
};

struct j*keep;
void*w(void*x){
    struct j*p=x;
    p->v++;
    return 0;
}

int main(){
    pthread_t t;
    struct j*p=malloc(sizeof*p);
    p->v=0;
    keep=p;
    pthread_create(&t,0,w,p);
    keep->v=2;
    pthread_exit(0);
}
