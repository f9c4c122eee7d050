// A thread kind that is started again after it was joined.

#include <pthread.h>

int g;
void*a(void*x){
    g++;
    return 0;
}

void*b(void*x){
    g=5;
    return 0;
}

int main(){
    for(int i=0;i<2;i++){
        pthread_t t,u;
        pthread_create(&t,0,a,0);
        pthread_join(t,0);
        pthread_create(&u,0,b,0);
    }
    return 0;
}
