// The log of logrotate.c, which is replaced on SIGHUP without the lock.
//
// expect races: UNSAFE

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_NAME 128
#define KEEP 5

static struct {
    pthread_mutex_t lock;
    FILE *file;
    char name[MAX_NAME];
    long size, limit;
    unsigned rotations;
} logf_ = {.lock = PTHREAD_MUTEX_INITIALIZER, .limit = 4096};

static volatile sig_atomic_t rotate_now, done;

static void on_hup(int sig)
{
    if (sig == SIGHUP)
        rotate_now = 1;
    else
        done = 1;
}

/* The caller has the lock. */
static int log_open(void)
{
    logf_.file = fopen(logf_.name, "a");
    if (logf_.file == NULL)
        return -1;
    logf_.size = ftell(logf_.file);
    if (logf_.size < 0)
        logf_.size = 0;
    return 0;
}

static void log_rotate(void)
{
    char from[MAX_NAME + 8], to[MAX_NAME + 8];

    if (logf_.file != NULL) {
        fclose(logf_.file);
        logf_.file = NULL;
    }
    for (int i = KEEP - 1; i > 0; i--) {
        snprintf(from, sizeof from, "%s.%d", logf_.name, i);
        snprintf(to, sizeof to, "%s.%d", logf_.name, i + 1);
        rename(from, to);
    }
    snprintf(to, sizeof to, "%s.1", logf_.name);
    rename(logf_.name, to);
    logf_.rotations++;
    if (log_open() < 0)
        fprintf(stderr, "cannot open %s: %s\n", logf_.name, strerror(errno));
}

static void log_line(const char *level, const char *format, ...)
{
    char text[256], stamp[32];
    struct tm tm;
    time_t now = time(NULL);
    va_list ap;
    int n;

    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    localtime_r(&now, &tm);
    strftime(stamp, sizeof stamp, "%F %T", &tm);

    pthread_mutex_lock(&logf_.lock);
    if (logf_.file != NULL) {
        n = fprintf(logf_.file, "%s %s %s\n", stamp, level, text);
        if (n > 0)
            logf_.size += n;
        if (logf_.size >= logf_.limit)
            log_rotate();
    }
    pthread_mutex_unlock(&logf_.lock);
}

static void *source(void *arg)
{
    int id = *(const int *)arg;

    for (int i = 0; i < 1000 && !done; i++) {
        log_line(i % 10 ? "info" : "warn", "source %d, message %d", id, i);
        usleep(1000);
    }
    return NULL;
}

static void *rotator(void *arg)
{
    (void)arg;
    while (!done) {
        sleep(1);
        if (!rotate_now)
            continue;
        rotate_now = 0;
        log_rotate();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static const int ids[] = {1, 2, 3};
    pthread_t sources[3], rot;
    struct sigaction sa = {.sa_handler = on_hup};
    int opt;

    strcpy(logf_.name, "daemon.log");
    while ((opt = getopt(argc, argv, "f:s:")) != -1) {
        switch (opt) {
        case 'f':
            strncpy(logf_.name, optarg, sizeof logf_.name - 1);
            break;
        case 's':
            logf_.limit = strtol(optarg, NULL, 10);
            break;
        default:
            fprintf(stderr, "usage: %s [-f file] [-s size]\n", argv[0]);
            return 2;
        }
    }
    sigemptyset(&sa.sa_mask);
    sigaction(SIGHUP, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
    if (log_open() < 0) {
        perror(logf_.name);
        return 1;
    }
    if (pthread_create(&rot, NULL, rotator, NULL) != 0)
        return 1;
    for (int i = 0; i < 3; i++)
        if (pthread_create(&sources[i], NULL, source, (void *)&ids[i]) != 0)
            return 1;
    for (int i = 0; i < 3; i++)
        pthread_join(sources[i], NULL);
    pthread_kill(rot, SIGTERM);
    pthread_join(rot, NULL);
    fclose(logf_.file);
    printf("%u rotations\n", logf_.rotations);
    return 0;
}
