/* SAFE: the handler of a signal that arrives posts what main waits for */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <signal.h>
#include <unistd.h>
static sem_t s;
static void handler(int number)
{
    (void)number;
    sem_post(&s);
}
int main(void)
{
    sem_init(&s, 0, 0);
    signal(SIGALRM, handler);
    alarm(1);
    sem_wait(&s);
    return 0;
}
