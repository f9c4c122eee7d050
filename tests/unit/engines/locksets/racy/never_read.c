// A variable that is only written.

#include <pthread.h>

int g;
void*w(void*x){
    g=1;
    return 0;
}

int main(){
    pthread_t t;
    pthread_create(&t,0,w,0);
    g=2;
    pthread_join(t,0);
    return 0;
}
