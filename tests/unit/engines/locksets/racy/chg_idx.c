// The index changes while the lock of the old one is held.

#include <pthread.h>
extern int __VERIFIER_nondet_int(void);

int a[2];
pthread_mutex_t m[2];
void*w(void*x){
    int i=0;
    pthread_mutex_lock(&m[i]);
    i=__VERIFIER_nondet_int()&1;
    a[i]++;
    pthread_mutex_unlock(&m[0]);
    return 0;
}

int main(){
    pthread_t t;
    pthread_create(&t,0,w,0);
    pthread_mutex_lock(&m[1]);
    a[1]++;
    pthread_mutex_unlock(&m[1]);
    pthread_exit(0);
}
