// The lock is given up before the access.

#include <pthread.h>

int g;
pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c=PTHREAD_COND_INITIALIZER;
void*w(void*x){
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    g++;
    pthread_mutex_lock(&m);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(){
    pthread_t t;
    pthread_create(&t,0,w,0);
    pthread_mutex_lock(&m);
    g++;
    pthread_cond_wait(&c,&m);
    pthread_mutex_unlock(&m);
    return 0;
}
