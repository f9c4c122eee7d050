// A semaphore that lets two in.

#include <pthread.h>
#include <semaphore.h>

int g;
sem_t s;
void*w(void*x){
    sem_wait(&s);
    g++;
    sem_post(&s);
    return 0;
}

int main(){
    pthread_t t;
    sem_init(&s,0,0);
    pthread_create(&t,0,w,0);
    pthread_create(&t,0,w,0);
    sem_post(&s);
    sem_post(&s);
    pthread_exit(0);
}
