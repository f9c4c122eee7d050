// An int, looked at as characters.

#include <pthread.h>

int x;
void*w(void*a){
    char*p=(char*)&x;
    *p=1;
    return 0;
}

int main(){
    pthread_t t;
    pthread_create(&t,0,w,0);
    x=5;
    pthread_exit(0);
}
