#ifndef __TW_SYS_SHM_H
#define __TW_SYS_SHM_H
#include <stddef.h>
#include <sys/ipc.h>
#include <sys/types.h>
typedef unsigned long shmatt_t;
struct shmid_ds {
    struct ipc_perm shm_perm;
    size_t shm_segsz;
    time_t shm_atime;
    time_t shm_dtime;
    time_t shm_ctime;
    pid_t shm_cpid;
    pid_t shm_lpid;
    shmatt_t shm_nattch;
    unsigned long __glibc_reserved5;
    unsigned long __glibc_reserved6;
};
struct shminfo {
    unsigned long shmmax;
    unsigned long shmmin;
    unsigned long shmmni;
    unsigned long shmseg;
    unsigned long shmall;
    unsigned long __glibc_reserved1;
    unsigned long __glibc_reserved2;
    unsigned long __glibc_reserved3;
    unsigned long __glibc_reserved4;
};
struct shm_info {
    int used_ids;
    unsigned long shm_tot;
    unsigned long shm_rss;
    unsigned long shm_swp;
    unsigned long swap_attempts;
    unsigned long swap_successes;
};
#define SHM_R 0400
#define SHM_W 0200
#define SHM_RDONLY 010000
#define SHM_RND 020000
#define SHM_REMAP 040000
#define SHM_EXEC 0100000
#define SHM_LOCK 11
#define SHM_UNLOCK 12
#define SHM_STAT 13
#define SHM_INFO 14
#define SHM_STAT_ANY 15
#define SHM_DEST 01000
#define SHM_LOCKED 02000
#define SHM_HUGETLB 04000
#define SHM_NORESERVE 010000
int shmctl(int, int, struct shmid_ds *);
int shmget(key_t, size_t, int);
void *shmat(int, const void *, int);
int shmdt(const void *);
#define SHMLBA 4096
#endif
