// The pointer to the lock changes while threads run.

#include <pthread.h>

struct s{
    pthread_mutex_t m;
    int v;
} A,B,*g;

int d;
void*w(void*x){
    pthread_mutex_lock(&g->m);
    d++;
    pthread_mutex_unlock(&g->m);
    return 0;
}

int main(){
    g=&A;
    pthread_t t;
    pthread_create(&t,0,w,0);
    g=&B;
    pthread_create(&t,0,w,0);
    pthread_exit(0);
}
