// What is initialised once is used without a lock.

#include <pthread.h>

int g;
pthread_once_t o=PTHREAD_ONCE_INIT;
void init(void){
    g=1;
}

void*w(void*a){
    pthread_once(&o,init);
    g++;
    return 0;
}

int main(){
    pthread_t t;
    pthread_create(&t,0,w,0);
    pthread_create(&t,0,w,0);
    pthread_exit(0);
}
