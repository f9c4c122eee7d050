// A function that nobody describes is given a function that it may call, at any time.
#include <pthread.h>
extern void on_packet(void (*handler)(int size));
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int received;
void count(int size) { pthread_mutex_lock(&lock); received += size > 0; pthread_mutex_unlock(&lock); }
void *reader(void *arg) { pthread_mutex_lock(&lock); int seen = received; pthread_mutex_unlock(&lock); return seen ? arg : 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    on_packet(count); // blocker
    pthread_join(t, 0);
    return 0;
}
