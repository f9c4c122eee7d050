// One path has given the lock back.

#include <pthread.h>
extern int __VERIFIER_nondet_int(void);

int g;
pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER;
void*w(void*x){
    pthread_mutex_lock(&m);
    if(__VERIFIER_nondet_int()) goto out;
    pthread_mutex_unlock(&m);
    out: g++;
    if(0) pthread_mutex_unlock(&m);
    return 0;
}

int main(){
    pthread_t t;
    pthread_create(&t,0,w,0);
    pthread_create(&t,0,w,0);
    pthread_exit(0);
}
