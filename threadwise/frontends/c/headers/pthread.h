#ifndef __TW_PTHREAD_H
#define __TW_PTHREAD_H
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <time.h>
#include <sys/types.h>

/* Threads. */
typedef __tw_tid pthread_t;
struct __tw_attr { int detached; };
typedef struct __tw_attr pthread_attr_t;

#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_INHERIT_SCHED 0
#define PTHREAD_EXPLICIT_SCHED 1
#define PTHREAD_SCOPE_SYSTEM 0
#define PTHREAD_SCOPE_PROCESS 1
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1
#define PTHREAD_CANCEL_ENABLE 0
#define PTHREAD_CANCEL_DISABLE 1
#define PTHREAD_CANCEL_DEFERRED 0
#define PTHREAD_CANCEL_ASYNCHRONOUS 1
#define PTHREAD_CANCELED ((void *)-1)

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument);
int pthread_join(pthread_t thread, void **result);
int pthread_tryjoin_np(pthread_t thread, void **result);
int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until);
int pthread_detach(pthread_t thread);
__attribute__((noreturn)) void pthread_exit(void *result);
pthread_t pthread_self(void);
int pthread_equal(pthread_t left, pthread_t right);
int pthread_cancel(pthread_t thread);
int pthread_setcancelstate(int state, int *old);
int pthread_setcanceltype(int type, int *old);
void pthread_testcancel(void);
int pthread_kill(pthread_t thread, int signal);
int pthread_yield(void);
int pthread_getconcurrency(void);
int pthread_setconcurrency(int level);
int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *parameters);
int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *parameters);
int pthread_setschedprio(pthread_t thread, int priority);
int pthread_setname_np(pthread_t thread, const char *name);
int pthread_getname_np(pthread_t thread, char *name, size_t size);
int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set);
int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set);
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));

int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_destroy(pthread_attr_t *attributes);
int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state);
int pthread_attr_getdetachstate(const pthread_attr_t *attributes, int *state);
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size);
int pthread_attr_getstacksize(const pthread_attr_t *attributes, size_t *size);
int pthread_attr_setguardsize(pthread_attr_t *attributes, size_t size);
int pthread_attr_setscope(pthread_attr_t *attributes, int scope);
int pthread_attr_setschedpolicy(pthread_attr_t *attributes, int policy);
int pthread_attr_setschedparam(pthread_attr_t *attributes, const struct sched_param *parameters);
int pthread_attr_setinheritsched(pthread_attr_t *attributes, int inherit);
int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t size, const cpu_set_t *set);

/* Clean-up handlers: a chain per thread, run by pthread_exit from the newest. */
struct __tw_cleanup {
    void (*routine)(void *);
    void *argument;
    struct __tw_cleanup *next;
};
void __library_cleanup_push(struct __tw_cleanup *handler);
void __library_cleanup_pop(struct __tw_cleanup *handler);
#define pthread_cleanup_push(routine, argument) \
    do { \
        struct __tw_cleanup __tw_handler = { (routine), (argument), 0 }; \
        __library_cleanup_push(&__tw_handler);
#define pthread_cleanup_pop(execute) \
        __library_cleanup_pop(&__tw_handler); \
        if (execute) \
            __tw_handler.routine(__tw_handler.argument); \
    } while (0)

/* Mutexes. `kind` of a mutex that was destroyed is -1. */
struct __tw_mutex {
    struct __tw_lock lock;
    int kind;
    unsigned int depth;                     /* how often the owner of a recursive one came again */
};
typedef struct __tw_mutex pthread_mutex_t;
struct __tw_mutexattr { int kind; };
typedef struct __tw_mutexattr pthread_mutexattr_t;

enum {
    PTHREAD_MUTEX_TIMED_NP = 0,
    PTHREAD_MUTEX_RECURSIVE_NP = 1,
    PTHREAD_MUTEX_ERRORCHECK_NP = 2,
    PTHREAD_MUTEX_ADAPTIVE_NP = 3,
    PTHREAD_MUTEX_NORMAL = PTHREAD_MUTEX_TIMED_NP,
    PTHREAD_MUTEX_RECURSIVE = PTHREAD_MUTEX_RECURSIVE_NP,
    PTHREAD_MUTEX_ERRORCHECK = PTHREAD_MUTEX_ERRORCHECK_NP,
    PTHREAD_MUTEX_DEFAULT = PTHREAD_MUTEX_NORMAL,
    PTHREAD_MUTEX_FAST_NP = PTHREAD_MUTEX_TIMED_NP
};
#define PTHREAD_MUTEX_STALLED 0
#define PTHREAD_MUTEX_ROBUST 1
#define PTHREAD_PRIO_NONE 0
#define PTHREAD_PRIO_INHERIT 1
#define PTHREAD_PRIO_PROTECT 2

#define PTHREAD_MUTEX_INITIALIZER { .kind = PTHREAD_MUTEX_NORMAL }
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP { .kind = PTHREAD_MUTEX_RECURSIVE }
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP { .kind = PTHREAD_MUTEX_ERRORCHECK }
#define PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP { .kind = PTHREAD_MUTEX_ADAPTIVE_NP }

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int pthread_mutex_destroy(pthread_mutex_t *mutex);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_trylock(pthread_mutex_t *mutex);
int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until);
int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
int pthread_mutex_consistent(pthread_mutex_t *mutex);
int pthread_mutexattr_init(pthread_mutexattr_t *attributes);
int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes);
int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int kind);
int pthread_mutexattr_gettype(const pthread_mutexattr_t *attributes, int *kind);
int pthread_mutexattr_setkind_np(pthread_mutexattr_t *attributes, int kind);
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attributes, int shared);
int pthread_mutexattr_getpshared(const pthread_mutexattr_t *attributes, int *shared);
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attributes, int protocol);
int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *attributes, int ceiling);
int pthread_mutexattr_setrobust(pthread_mutexattr_t *attributes, int robust);

/* Condition variables: how many threads wait, and how many of them may go. A thread that may go
   leaves before another one begins to wait, so the counts say who was there when it was signalled. */
struct __tw_cond {
    unsigned int waiting;
    unsigned int released;
    _Bool destroyed;
};
typedef struct __tw_cond pthread_cond_t;
struct __tw_condattr { int clock; };
typedef struct __tw_condattr pthread_condattr_t;
#define PTHREAD_COND_INITIALIZER { .waiting = 0 }

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes);
int pthread_cond_destroy(pthread_cond_t *condition);
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *until);
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until);
int pthread_cond_signal(pthread_cond_t *condition);
int pthread_cond_broadcast(pthread_cond_t *condition);
int pthread_condattr_init(pthread_condattr_t *attributes);
int pthread_condattr_destroy(pthread_condattr_t *attributes);
int pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock);
int pthread_condattr_getclock(const pthread_condattr_t *attributes, clockid_t *clock);
int pthread_condattr_setpshared(pthread_condattr_t *attributes, int shared);

/* Read-write locks. `kind` of a lock that was destroyed is -1; `writers` wait, where they are
   preferred. */
struct __tw_rwlock {
    struct __tw_lock writer;
    unsigned int readers;
    unsigned int writers;
    int kind;
};
typedef struct __tw_rwlock pthread_rwlock_t;
struct __tw_rwlockattr { int kind; };
typedef struct __tw_rwlockattr pthread_rwlockattr_t;
#define PTHREAD_RWLOCK_INITIALIZER { .readers = 0 }
#define PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP \
    { .kind = PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP }
enum {
    PTHREAD_RWLOCK_PREFER_READER_NP,
    PTHREAD_RWLOCK_PREFER_WRITER_NP,
    PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP,
    PTHREAD_RWLOCK_DEFAULT_NP = PTHREAD_RWLOCK_PREFER_READER_NP
};

int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes);
int pthread_rwlock_destroy(pthread_rwlock_t *lock);
int pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock);
int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until);
int pthread_rwlock_wrlock(pthread_rwlock_t *lock);
int pthread_rwlock_trywrlock(pthread_rwlock_t *lock);
int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until);
int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
                               const struct timespec *until);
int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
                               const struct timespec *until);
int pthread_rwlock_unlock(pthread_rwlock_t *lock);
int pthread_rwlockattr_init(pthread_rwlockattr_t *attributes);
int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attributes);
int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attributes, int shared);
int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *attributes, int kind);
int pthread_rwlockattr_getkind_np(const pthread_rwlockattr_t *attributes, int *kind);

/* Spin locks. */
struct __tw_spin {
    struct __tw_lock lock;
    _Bool live;
};
typedef struct __tw_spin pthread_spinlock_t;
int pthread_spin_init(pthread_spinlock_t *lock, int shared);
int pthread_spin_destroy(pthread_spinlock_t *lock);
int pthread_spin_lock(pthread_spinlock_t *lock);
int pthread_spin_trylock(pthread_spinlock_t *lock);
int pthread_spin_unlock(pthread_spinlock_t *lock);

/* Barriers: threads of one round leave before the next round begins. */
struct __tw_barrier {
    unsigned int count;
    unsigned int arrived;
    unsigned int leaving;
    _Bool serial;                           /* whether one of those leaving is still to be it */
};
typedef struct __tw_barrier pthread_barrier_t;
struct __tw_barrierattr { int shared; };
typedef struct __tw_barrierattr pthread_barrierattr_t;
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)
int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                         unsigned int count);
int pthread_barrier_destroy(pthread_barrier_t *barrier);
int pthread_barrier_wait(pthread_barrier_t *barrier);
int pthread_barrierattr_init(pthread_barrierattr_t *attributes);
int pthread_barrierattr_destroy(pthread_barrierattr_t *attributes);
int pthread_barrierattr_setpshared(pthread_barrierattr_t *attributes, int shared);

/* Once, and data of each thread. */
typedef int pthread_once_t;                 /* 0 not yet, 1 being done, 2 done */
#define PTHREAD_ONCE_INIT 0
int pthread_once(pthread_once_t *once, void (*routine)(void));

typedef unsigned int pthread_key_t;
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
int pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int pthread_key_delete(pthread_key_t key);
void *pthread_getspecific(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void *value);

typedef struct __tw_sigset sigset_t;
int pthread_clockjoin_np(pthread_t, void **, clockid_t, const struct timespec *);
int pthread_attr_getguardsize(const pthread_attr_t *, size_t *);
int pthread_attr_getschedparam(const pthread_attr_t *restrict, struct sched_param *restrict);
int pthread_attr_getschedpolicy(const pthread_attr_t *restrict, int *restrict);
int pthread_attr_getinheritsched(const pthread_attr_t *restrict, int *restrict);
int pthread_attr_getscope(const pthread_attr_t *restrict, int *restrict);
int pthread_attr_getstackaddr(const pthread_attr_t *restrict, void **restrict);
int pthread_attr_setstackaddr(pthread_attr_t *, void *);
int pthread_attr_getstack(const pthread_attr_t *restrict, void **restrict, size_t *restrict);
int pthread_attr_setstack(pthread_attr_t *, void *, size_t);
int pthread_attr_getaffinity_np(const pthread_attr_t *, size_t, cpu_set_t *);
int pthread_getattr_default_np(pthread_attr_t *);
int pthread_attr_setsigmask_np(pthread_attr_t *, const sigset_t *);
int pthread_attr_getsigmask_np(const pthread_attr_t *, sigset_t *);
int pthread_setattr_default_np(const pthread_attr_t *);
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);
int pthread_mutex_getprioceiling(const pthread_mutex_t *restrict, int *restrict);
int pthread_mutex_setprioceiling(pthread_mutex_t *restrict, int, int *restrict);
int pthread_mutex_consistent_np(pthread_mutex_t *);
int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *restrict, int *restrict);
int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *restrict, int *restrict);
int pthread_mutexattr_getrobust(const pthread_mutexattr_t *, int *);
int pthread_mutexattr_getrobust_np(pthread_mutexattr_t *, int *);
int pthread_mutexattr_setrobust_np(pthread_mutexattr_t *, int);
int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *restrict, int *restrict);
int pthread_condattr_getpshared(const pthread_condattr_t *restrict, int *restrict);
int pthread_barrierattr_getpshared(const pthread_barrierattr_t *restrict, int *restrict);
int pthread_getcpuclockid(pthread_t thread, clockid_t *clock);
#endif
