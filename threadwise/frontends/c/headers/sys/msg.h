#ifndef __TW_SYS_MSG_H
#define __TW_SYS_MSG_H
#include <stddef.h>
#include <sys/ipc.h>
#include <sys/types.h>
typedef unsigned long msgqnum_t;
typedef unsigned long msglen_t;
struct msqid_ds {
    struct ipc_perm msg_perm;
    time_t msg_stime;
    time_t msg_rtime;
    time_t msg_ctime;
    unsigned long __msg_cbytes;
    msgqnum_t msg_qnum;
    msglen_t msg_qbytes;
    pid_t msg_lspid;
    pid_t msg_lrpid;
    unsigned long __glibc_reserved4;
    unsigned long __glibc_reserved5;
};
struct msginfo {
    int msgpool;
    int msgmap;
    int msgmax;
    int msgmnb;
    int msgmni;
    int msgssz;
    int msgtql;
    unsigned short msgseg;
};
struct msgbuf { long mtype; char mtext[1]; };
#define MSG_NOERROR 010000
#define MSG_EXCEPT 020000
#define MSG_COPY 040000
#define MSG_STAT 11
#define MSG_INFO 12
#define MSG_STAT_ANY 13
int msgctl(int, int, struct msqid_ds *);
int msgget(key_t, int);
ssize_t msgrcv(int, void *, size_t, long, int);
int msgsnd(int, const void *, size_t, int);
#endif
