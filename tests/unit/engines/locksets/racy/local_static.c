// A static local is shared.

#include <pthread.h>

void*w(void*x){
    static int n;
    n++;
    return 0;
}

int main(){
    pthread_t t;
    pthread_create(&t,0,w,0);
    pthread_create(&t,0,w,0);
    pthread_exit(0);
}
