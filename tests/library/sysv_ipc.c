// What orders processes may wait: runs end there, and no order counts for races.
//
// expect assertions: SAFE
// expect -D WAIT deadlocks: UNKNOWN
// expect -D WAIT races: UNKNOWN
// expect -D RECEIVE deadlocks: UNKNOWN
// expect -D GUARDED races: SAFE

#define _GNU_SOURCE
#include <assert.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/types.h>
#include <time.h>

static void mentioned(void)
{
    (void)ftok;
    (void)semget;
    (void)shmget;
    (void)msgget;
    (void)semop;
    (void)semtimedop;
    (void)semctl;
    (void)shmat;
    (void)shmdt;
    (void)shmctl;
    (void)msgsnd;
    (void)msgrcv;
    (void)msgctl;
    (void)mq_open;
    (void)mq_close;
    (void)mq_unlink;
    (void)mq_getattr;
    (void)mq_setattr;
    (void)mq_send;
    (void)mq_timedsend;
    (void)mq_receive;
    (void)mq_timedreceive;
}

static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
#if defined(WAIT) || defined(GUARDED)
    struct sembuf operation = { 0, -1, 0 };
    semop(1, &operation, 1);
#endif
#ifdef GUARDED
    pthread_mutex_lock(&lock);
#endif
    counter++;
#ifdef GUARDED
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void)
{
#if defined(WAIT)
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
#elif defined(GUARDED)
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
#elif defined(RECEIVE)
    char message[8];
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    mq_receive(1, message, sizeof message, NULL);
    pthread_join(thread, NULL);
#else
    pthread_mutex_lock(&lock);
    work(&counter);
    assert(counter == 1);
#endif
    (void)mentioned;
    return 0;
}
