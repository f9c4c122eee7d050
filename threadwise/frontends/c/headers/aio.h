#ifndef __TW_AIO_H
#define __TW_AIO_H
#include <signal.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>
struct aiocb {
    int aio_fildes;
    int aio_lio_opcode;
    int aio_reqprio;
    volatile void *aio_buf;
    size_t aio_nbytes;
    struct sigevent aio_sigevent;
    struct aiocb *__next_prio;
    int __abs_prio;
    int __policy;
    int __error_code;
    ssize_t __return_value;
    off_t aio_offset;
    char __pad[0];
    char __glibc_reserved[32];
};
struct aiocb64 {
    int aio_fildes;
    int aio_lio_opcode;
    int aio_reqprio;
    volatile void *aio_buf;
    size_t aio_nbytes;
    struct sigevent aio_sigevent;
    struct aiocb *__next_prio;
    int __abs_prio;
    int __policy;
    int __error_code;
    ssize_t __return_value;
    off64_t aio_offset;
    char __glibc_reserved[32];
};
struct aioinit {
    int aio_threads;
    int aio_num;
    int aio_locks;
    int aio_usedba;
    int aio_debug;
    int aio_numusers;
    int aio_idle_time;
    int aio_reserved;
};
#define AIO_CANCELED 0
#define AIO_NOTCANCELED 1
#define AIO_ALLDONE 2
#define LIO_READ 0
#define LIO_WRITE 1
#define LIO_NOP 2
#define LIO_WAIT 0
#define LIO_NOWAIT 1
void aio_init(const struct aioinit *);
int aio_read(struct aiocb *);
int aio_write(struct aiocb *);
int lio_listio(int, struct aiocb *const [], int, struct sigevent *restrict);
int aio_error(const struct aiocb *);
ssize_t aio_return(struct aiocb *);
int aio_cancel(int, struct aiocb *);
int aio_suspend(const struct aiocb *const [], int, const struct timespec *restrict);
int aio_fsync(int, struct aiocb *);
int aio_read64(struct aiocb64 *);
int aio_write64(struct aiocb64 *);
int lio_listio64(int, struct aiocb64 *const [], int, struct sigevent *restrict);
int aio_error64(const struct aiocb64 *);
ssize_t aio_return64(struct aiocb64 *);
int aio_cancel64(int, struct aiocb64 *);
int aio_suspend64(const struct aiocb64 *const [], int, const struct timespec *restrict);
int aio_fsync64(int, struct aiocb64 *);
#endif
