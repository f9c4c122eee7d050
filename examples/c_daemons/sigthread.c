// A daemon whose signals are taken by one thread with sigwait; the others see flags under a lock.
//
// expect races: SAFE

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <syslog.h>
#include <unistd.h>

struct control {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int terminate;
    int reload;
    unsigned reloads;
    int level;
};

static struct control ctl = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER,
    .level = 1,
};

static void *signal_thread(void *arg)
{
    sigset_t *set = arg;
    int sig;

    for (;;) {
        if (sigwait(set, &sig) != 0)
            continue;
        switch (sig) {
        case SIGHUP:
            pthread_mutex_lock(&ctl.lock);
            ctl.reload = 1;
            pthread_cond_broadcast(&ctl.changed);
            pthread_mutex_unlock(&ctl.lock);
            break;
        case SIGUSR1:
            pthread_mutex_lock(&ctl.lock);
            ctl.level++;
            pthread_mutex_unlock(&ctl.lock);
            break;
        case SIGTERM:
        case SIGINT:
            pthread_mutex_lock(&ctl.lock);
            ctl.terminate = 1;
            pthread_cond_broadcast(&ctl.changed);
            pthread_mutex_unlock(&ctl.lock);
            return NULL;
        }
    }
}

static int read_level(const char *path)
{
    char line[64];
    long level = 1;
    FILE *f = fopen(path, "r");

    if (f == NULL) {
        syslog(LOG_WARNING, "%s: %s", path, strerror(errno));
        return 1;
    }
    if (fgets(line, sizeof line, f) != NULL)
        level = strtol(line, NULL, 10);
    fclose(f);
    return level < 0 || level > 9 ? 1 : (int)level;
}

static void *work(void *arg)
{
    unsigned long *count = arg;
    int level, stop;

    do {
        pthread_mutex_lock(&ctl.lock);
        level = ctl.level;
        stop = ctl.terminate;
        pthread_mutex_unlock(&ctl.lock);
        if (level > 2)
            syslog(LOG_DEBUG, "round %lu", *count);
        ++*count;
        usleep(1000);
    } while (!stop);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t sigs, workers[2];
    unsigned long counts[2] = {0, 0};
    sigset_t set;
    const char *path = argc > 1 ? argv[1] : "/etc/level";
    int i, err;

    openlog("leveld", LOG_PID, LOG_DAEMON);
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    err = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (err != 0) {
        fprintf(stderr, "sigmask: %s\n", strerror(err));
        return 1;
    }
    if (pthread_create(&sigs, NULL, signal_thread, &set) != 0)
        return 1;
    for (i = 0; i < 2; i++)
        if (pthread_create(&workers[i], NULL, work, &counts[i]) != 0)
            exit(1);
    pthread_mutex_lock(&ctl.lock);
    while (!ctl.terminate) {
        if (ctl.reload) {
            int level;

            ctl.reload = 0;
            pthread_mutex_unlock(&ctl.lock);
            level = read_level(path);
            pthread_mutex_lock(&ctl.lock);
            ctl.level = level;
            ctl.reloads++;
            continue;
        }
        pthread_cond_wait(&ctl.changed, &ctl.lock);
    }
    pthread_mutex_unlock(&ctl.lock);
    for (i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    pthread_join(sigs, NULL);
    syslog(LOG_INFO, "%u reloads, %lu rounds", ctl.reloads, counts[0] + counts[1]);
    closelog();
    return 0;
}
