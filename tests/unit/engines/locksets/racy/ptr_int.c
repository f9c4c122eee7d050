// An address as a number.

#include <pthread.h>
#include <stdint.h>

int x;
void*w(void*a){
    uintptr_t n=(uintptr_t)&x;
    if(n%4==0) x++;
    return 0;
}

int main(){
    pthread_t t;
    pthread_create(&t,0,w,0);
    x=5;
    pthread_exit(0);
}
