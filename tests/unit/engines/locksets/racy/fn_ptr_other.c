// A function called through a pointer of another type.

#include <pthread.h>

int g;
void f(int a){
    g++;
}

void(*h)();
void*w(void*x){
    h();
    return 0;
}

int main(){
    pthread_t t;
    h=(void(*)())f;
    pthread_create(&t,0,w,0);
    g=5;
    pthread_exit(0);
}
