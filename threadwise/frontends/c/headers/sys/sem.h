#ifndef __TW_SYS_SEM_H
#define __TW_SYS_SEM_H
#include <stddef.h>
#include <sys/ipc.h>
#include <sys/types.h>
#include <time.h>
struct semid_ds {
    struct ipc_perm sem_perm;
    time_t sem_otime;
    unsigned long __sem_otime_high;
    time_t sem_ctime;
    unsigned long __sem_ctime_high;
    unsigned long sem_nsems;
    unsigned long __glibc_reserved3;
    unsigned long __glibc_reserved4;
};
struct seminfo {
    int semmap;
    int semmni;
    int semmns;
    int semmnu;
    int semmsl;
    int semopm;
    int semume;
    int semusz;
    int semvmx;
    int semaem;
};
struct sembuf { unsigned short sem_num; short sem_op; short sem_flg; };
#define SEM_UNDO 0x1000
#define GETPID 11
#define GETVAL 12
#define GETALL 13
#define GETNCNT 14
#define GETZCNT 15
#define SETVAL 16
#define SETALL 17
#define SEM_STAT 18
#define SEM_INFO 19
#define SEM_STAT_ANY 20
int semctl(int, int, int, ...);
int semget(key_t, int, int);
int semop(int, struct sembuf *, size_t);
int semtimedop(int, struct sembuf *, size_t, const struct timespec *);
#endif
