// The lock was not got.

#include <pthread.h>

int g;
pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER;
void*w(void*x){
    if(pthread_mutex_trylock(&m)) {
        g++;
    }
    else {
        g++;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(){
    pthread_t t;
    pthread_create(&t,0,w,0);
    pthread_create(&t,0,w,0);
    pthread_exit(0);
}
