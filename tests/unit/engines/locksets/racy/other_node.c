// The lock is that of another node.

#include <pthread.h>

struct n{
    pthread_mutex_t m;
    int v;
    struct n*o;
};

struct n A,B;
void*w(void*x){
    struct n*p=x;
    pthread_mutex_lock(&p->m);
    p->o->v++;
    pthread_mutex_unlock(&p->m);
    return 0;
}

int main(){
    A.o=&B;
    B.o=&B;
    pthread_t t;
    pthread_create(&t,0,w,&A);
    pthread_create(&t,0,w,&B);
    pthread_exit(0);
}
