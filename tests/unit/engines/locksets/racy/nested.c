// A thread of a thread outlives it.

#include <pthread.h>

int g;
void*v(void*a){
    g++;
    return 0;
}

void*w(void*a){
    pthread_t t;
    pthread_create(&t,0,v,0);
    return 0;
}

int main(){
    pthread_t t;
    pthread_create(&t,0,w,0);
    pthread_join(t,0);
    g=1;
    return 0;
}
