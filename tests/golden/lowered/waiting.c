#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
sem_t slots;
pthread_rwlock_t guard = PTHREAD_RWLOCK_INITIALIZER;
pthread_barrier_t meeting;
pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_spinlock_t spin;
pthread_key_t key;
int data;

static void begin(void) { data = 1; }
static void gone(void *p) { *(int *)p = 0; }

static void *reader(void *none)
{
    static int kept;
    pthread_once(&once, begin);
    pthread_setspecific(key, &kept);
    sem_wait(&slots);
    pthread_rwlock_rdlock(&guard);
    int seen = data;
    pthread_rwlock_unlock(&guard);
    sem_post(&slots);
    pthread_barrier_wait(&meeting);
    return seen ? pthread_getspecific(key) : none;
}

int main(void)
{
    pthread_t t;
    sem_init(&slots, 0, 1);
    pthread_barrier_init(&meeting, 0, 2);
    pthread_spin_init(&spin, 0);
    pthread_key_create(&key, gone);
    pthread_create(&t, 0, reader, 0);
    pthread_rwlock_wrlock(&guard);
    data++;
    pthread_rwlock_unlock(&guard);
    if (!pthread_spin_trylock(&spin))
        pthread_spin_unlock(&spin);
    pthread_barrier_wait(&meeting);
    usleep(3);
    pthread_detach(t);
    pthread_exit(0);
}
