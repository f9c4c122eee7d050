// A pointer to a thread-local variable of another thread.

#include <pthread.h>

_Thread_local int z;
int*q;
void*w(void*a){
    if(q) (*q)++;
    return 0;
}

int main(){
    q=&z;
    pthread_t t;
    pthread_create(&t,0,w,0);
    z=2;
    pthread_exit(0);
}
