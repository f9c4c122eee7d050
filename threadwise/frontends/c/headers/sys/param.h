#ifndef __TW_SYS_PARAM_H
#define __TW_SYS_PARAM_H
#include <limits.h>
#include <sys/types.h>
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define HZ 100
#define EXEC_PAGESIZE 4096
#define NOGROUP (-1)
#define MAXHOSTNAMELEN 64
#define MAXSYMLINKS 20
#define NOFILE 256
#define NCARGS 131072
#define NBBY 8
#define NGROUPS 65536
#define CANBSIZ 255
#define MAXPATHLEN 4096
#define NODEV 18446744073709551615UL
#define DEV_BSIZE 512
#define setbit(bits, number) ((bits)[(number) / NBBY] |= 1 << (number) % NBBY)
#define clrbit(bits, number) ((bits)[(number) / NBBY] &= ~(1 << (number) % NBBY))
#define isset(bits, number) ((bits)[(number) / NBBY] & 1 << (number) % NBBY)
#define isclr(bits, number) (((bits)[(number) / NBBY] & 1 << (number) % NBBY) == 0)
#define howmany(count, size) (((count) + (size) - 1) / (size))
#define roundup(count, size) (((count) + (size) - 1) / (size) * (size))
#define powerof2(number) ((((number) - 1) & (number)) == 0)
#endif
