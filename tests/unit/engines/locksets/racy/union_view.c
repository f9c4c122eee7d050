// Two members of a union.

#include <pthread.h>

union u{
    int a;
    char b;
} u;

void*w(void*x){
    u.b=1;
    return 0;
}

int main(){
    pthread_t t;
    pthread_create(&t,0,w,0);
    u.a=5;
    pthread_exit(0);
}
