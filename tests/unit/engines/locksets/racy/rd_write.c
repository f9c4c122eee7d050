// A write under a lock for reading.

#include <pthread.h>

int g;
pthread_rwlock_t l=PTHREAD_RWLOCK_INITIALIZER;
void*w(void*x){
    pthread_rwlock_rdlock(&l);
    g++;
    pthread_rwlock_unlock(&l);
    return 0;
}

int main(){
    pthread_t t;
    pthread_create(&t,0,w,0);
    pthread_create(&t,0,w,0);
    pthread_exit(0);
}
