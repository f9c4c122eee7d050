// The handle that is joined is that of another thread.

#include <pthread.h>

int g;
void*w(void*a){
    g++;
    return 0;
}

void*v(void*a){
    return 0;
}

int main(){
    pthread_t t;
    pthread_create(&t,0,w,0);
    pthread_create(&t,0,v,0);
    pthread_join(t,0);
    g=1;
    return 0;
}
