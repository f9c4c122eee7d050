// Time is any value; programs that do not look at it are not hurt by it.
//
// expect assertions: SAFE
// expect -D LOOK assertions: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    struct timespec moment;
    struct timeval now;
    time(NULL);
    clock();
    difftime(1, 0);
    getpid();
    getppid();
    sysconf(_SC_PAGESIZE);
    clock_gettime(CLOCK_REALTIME, &moment);
    clock_getres(CLOCK_REALTIME, &moment);
    timespec_get(&moment, TIME_UTC);
    gettimeofday(&now, NULL);
#ifdef LOOK
    assert(time(NULL) != 7);
#endif
    return 0;
}
