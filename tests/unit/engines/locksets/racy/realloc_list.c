// A pointer is read under the lock, and used without.

#include <pthread.h>
#include <stdlib.h>

struct n{
    int v;
    struct n*x;
} *h;

pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER;
void*w(void*a){
    struct n*p;
    pthread_mutex_lock(&m);
    p=h;
    pthread_mutex_unlock(&m);
    p->v++;
    return 0;
}

int main(){
    h=malloc(sizeof*h);
    h->v=0;
    h->x=0;
    pthread_t t;
    pthread_create(&t,0,w,0);
    pthread_mutex_lock(&m);
    h->v=4;
    pthread_mutex_unlock(&m);
    pthread_exit(0);
}
