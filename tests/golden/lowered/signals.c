#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static volatile sig_atomic_t stopped;
static int handled;
static void on_term(int number) { stopped = number; }
static void on_alarm(int number) { handled++; }
static void at_the_end(void) { handled = 0; }

int main(void)
{
    struct sigaction action = { .sa_handler = on_alarm };
    signal(SIGTERM, on_term);
    sigaction(SIGALRM, &action, NULL);
    atexit(at_the_end);
    alarm(1);
    while (!stopped)
        pause();
    if (fork() == 0)
        _exit(2);
    raise(SIGTERM);
    return handled;
}
