#ifndef __TW_SEMAPHORE_H
#define __TW_SEMAPHORE_H
#include <time.h>
#include <sys/types.h>
struct __tw_semaphore {
    unsigned int value;
    _Bool live;
};
typedef struct __tw_semaphore sem_t;
#define SEM_FAILED ((sem_t *)0)
#define SEM_VALUE_MAX __INT_MAX__
int sem_init(sem_t *semaphore, int shared, unsigned int value);
int sem_destroy(sem_t *semaphore);
int sem_wait(sem_t *semaphore);
int sem_trywait(sem_t *semaphore);
int sem_timedwait(sem_t *semaphore, const struct timespec *until);
int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until);
int sem_post(sem_t *semaphore);
int sem_getvalue(sem_t *semaphore, int *value);
sem_t *sem_open(const char *name, int flags, ...);
int sem_close(sem_t *semaphore);
int sem_unlink(const char *name);
#endif
