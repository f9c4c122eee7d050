// The lock itself is overwritten.

#include <pthread.h>
#include <string.h>

struct s{
    pthread_mutex_t m;
    int v;
} S;

void*w(void*x){
    pthread_mutex_lock(&S.m);
    S.v++;
    pthread_mutex_unlock(&S.m);
    return 0;
}

int main(){
    pthread_t t;
    pthread_create(&t,0,w,0);
    pthread_create(&t,0,w,0);
    memset(&S.m,0,sizeof S.m);
    pthread_exit(0);
}
