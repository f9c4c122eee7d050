// The lock of another index.

#include <pthread.h>
extern int __VERIFIER_nondet_int(void);

int a[2];
pthread_mutex_t m[2];
void*w(void*x){
    int i=__VERIFIER_nondet_int()&1;
    int*p=&a[i];
    pthread_mutex_lock(&m[1-i]);
    (*p)++;
    pthread_mutex_unlock(&m[1-i]);
    return 0;
}

void*v(void*x){
    int i=__VERIFIER_nondet_int()&1;
    pthread_mutex_lock(&m[i]);
    a[i]++;
    pthread_mutex_unlock(&m[i]);
    return 0;
}

int main(){
    pthread_t t;
    pthread_create(&t,0,w,0);
    pthread_create(&t,0,v,0);
    pthread_exit(0);
}
