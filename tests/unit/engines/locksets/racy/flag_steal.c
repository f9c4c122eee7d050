// Somebody else clears the flag.

#include <pthread.h>
#include <stdatomic.h>

int g;
atomic_int l;
void*w(void*x){
    while(atomic_exchange(&l,1));
    g++;
    atomic_store(&l,0);
    return 0;
}

void*v(void*x){
    atomic_store(&l,0);
    return 0;
}

int main(){
    pthread_t t;
    pthread_create(&t,0,w,0);
    pthread_create(&t,0,w,0);
    pthread_create(&t,0,v,0);
    pthread_exit(0);
}
