// The child of fork is another process; statuses are any values.
//
// expect assertions: UNKNOWN
// expect -D STATUS assertions: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t fork(void);
pid_t vfork(void);
pid_t wait(int *status);
pid_t waitpid(pid_t process, int *status, int options);
pid_t wait3(int *status, int options, void *usage);
int execv(const char *path, char *const arguments[]);
int execvp(const char *path, char *const arguments[]);
int execve(const char *path, char *const arguments[], char *const environment[]);
int execl(const char *path, const char *first, ...);
int execlp(const char *path, const char *first, ...);
int execle(const char *path, const char *first, ...);
int system(const char *command);
FILE *popen(const char *command, const char *mode);
int pclose(FILE *file);
int daemon(int stay, int keep);

static void others(void)
{
    vfork();
    waitpid(0, 0, 0);
    wait3(0, 0, 0);
    execv(0, 0);
    execvp(0, 0);
    execve(0, 0, 0);
    execl(0, 0);
    execlp(0, 0);
    execle(0, 0);
    system(0);
    popen(0, 0);
    pclose(0);
    daemon(0, 0);
}

int main(void)
{
    int status = 0;
#ifdef STATUS
    wait(&status);
    assert(status != 7);
#else
    assert(fork() != 0);
#endif
    (void)others;
    return status;
}
