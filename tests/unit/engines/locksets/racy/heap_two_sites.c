// An object on the heap without a lock.

#include <pthread.h>
#include <stdlib.h>

int*p;
void*w(void*x){
    (*p)++;
    return 0;
}

int main(){
    p=malloc(4);
    *p=0;
    pthread_t t;
    pthread_create(&t,0,w,0);
    (*p)=3;
    pthread_exit(0);
}
