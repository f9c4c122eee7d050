// Neighbouring bit-fields are one memory location.

#include <pthread.h>

struct b{
    int a:4;
    int b:4;
} s;

void*w(void*x){
    s.a=1;
    return 0;
}

int main(){
    pthread_t t;
    pthread_create(&t,0,w,0);
    s.b=2;
    pthread_exit(0);
}
