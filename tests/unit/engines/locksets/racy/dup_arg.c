// Two threads get the same argument.

#include <pthread.h>

int r[4];
void*w(void*a){
    r[(long)a]++;
    return 0;
}

int main(){
    pthread_t t;
    for(long i=0;i<4;i++) pthread_create(&t,0,w,(void*)(i/2));
    return 0;
}
