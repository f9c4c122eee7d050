// A recursive lock that is given up twice.

#include <pthread.h>

int g;
pthread_mutex_t m;
void*w(void*x){
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    g++;
    return 0;
}

int main(){
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a,PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m,&a);
    pthread_t t;
    pthread_create(&t,0,w,0);
    pthread_mutex_lock(&m);
    g++;
    pthread_mutex_unlock(&m);
    pthread_exit(0);
}
