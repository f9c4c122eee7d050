// A logger: threads format lines with localtime_r and strftime and leave them to a thread that writes them out.
//
// expect assertions: SAFE
// expect races: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum level { DEBUG, INFO, WARNING, ERROR };

struct line {
    enum level level;
    char stamp[32];
    char text[200];
    struct line *next;
};

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct line *first;
    struct line **last;
    unsigned dropped;
    int closed;
    FILE *file;
} logger = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER,
};

static enum level threshold = INFO; /* set before threads are started */
static pthread_t writer;

static const char *level_name(enum level level)
{
    switch (level) {
    case DEBUG:
        return "debug";
    case INFO:
        return "info";
    case WARNING:
        return "warning";
    default:
        return "error";
    }
}

static void stamp(char *text, size_t size)
{
    time_t now = time(NULL);
    struct tm parts;

    if (localtime_r(&now, &parts) == NULL || strftime(text, size, "%Y-%m-%d %H:%M:%S", &parts) == 0)
        text[0] = '\0';
}

static void log_message(enum level level, const char *format, ...)
{
    va_list arguments;

    if (level < threshold)
        return;
    struct line *line = malloc(sizeof *line);
    if (line == NULL) {
        pthread_mutex_lock(&logger.mutex);
        logger.dropped++;
        pthread_mutex_unlock(&logger.mutex);
        return;
    }
    line->level = level;
    line->next = NULL;
    stamp(line->stamp, sizeof line->stamp);
    va_start(arguments, format);
    vsnprintf(line->text, sizeof line->text, format, arguments);
    va_end(arguments);

    pthread_mutex_lock(&logger.mutex);
    *logger.last = line;
    logger.last = &line->next;
    pthread_cond_signal(&logger.changed);
    pthread_mutex_unlock(&logger.mutex);
}

static void write_lines(struct line *line)
{
    while (line != NULL) {
        struct line *next = line->next;
        fprintf(logger.file, "%s %-7s %s\n", line->stamp, level_name(line->level), line->text);
        free(line);
        line = next;
    }
    fflush(logger.file);
}

static void *write_log(void *unused)
{
    int closed;

    (void)unused;
    do {
        pthread_mutex_lock(&logger.mutex);
        while (logger.first == NULL && !logger.closed)
            pthread_cond_wait(&logger.changed, &logger.mutex);
        struct line *lines = logger.first;
        logger.first = NULL;
        logger.last = &logger.first;
        closed = logger.closed;
        pthread_mutex_unlock(&logger.mutex);
        write_lines(lines);
    } while (!closed);
    return NULL;
}

static int log_open(const char *path)
{
    logger.file = path == NULL ? stderr : fopen(path, "a");
    if (logger.file == NULL)
        return -1;
    logger.first = NULL;
    logger.last = &logger.first;
    int error = pthread_create(&writer, NULL, write_log, NULL);
    if (error != 0) {
        errno = error;
        return -1;
    }
    return 0;
}

static void log_close(void)
{
    pthread_mutex_lock(&logger.mutex);
    logger.closed = 1;
    pthread_cond_signal(&logger.changed);
    pthread_mutex_unlock(&logger.mutex);
    pthread_join(writer, NULL);
    if (logger.dropped > 0)
        fprintf(logger.file, "%u lines lost\n", logger.dropped);
    if (logger.file != stderr)
        fclose(logger.file);
}

/* Those who log: each looks after one file. */

struct watch {
    pthread_t thread;
    const char *path;
    int rounds;
};

static void *watch(void *argument)
{
    struct watch *watch = argument;

    log_message(DEBUG, "watching %s", watch->path);
    for (int round = 0; round < watch->rounds; round++) {
        if (access(watch->path, R_OK) != 0)
            log_message(WARNING, "%s is gone in round %d", watch->path, round);
        else
            log_message(INFO, "%s is there", watch->path);
        sleep(1);
    }
    return NULL;
}

static void usage(const char *program)
{
    fprintf(stderr, "usage: %s [-d] [-o log] [-n rounds] file...\n", program);
    exit(2);
}

int main(int argc, char **argv)
{
    const char *path = NULL;
    int rounds = 10, option;

    while ((option = getopt(argc, argv, "do:n:")) != -1) {
        switch (option) {
        case 'd':
            threshold = DEBUG;
            break;
        case 'o':
            path = optarg;
            break;
        case 'n':
            rounds = atoi(optarg);
            break;
        default:
            usage(argv[0]);
        }
    }
    int files = argc - optind;
    if (files <= 0 || rounds <= 0)
        usage(argv[0]);
    if (log_open(path) != 0) {
        perror(argv[0]);
        return 1;
    }
    struct watch *watches = calloc(files, sizeof *watches);
    if (watches == NULL) {
        perror(argv[0]);
        return 1;
    }
    for (int i = 0; i < files; i++) {
        watches[i].path = argv[optind + i];
        watches[i].rounds = rounds;
        int error = pthread_create(&watches[i].thread, NULL, watch, &watches[i]);
        if (error != 0) {
            fprintf(stderr, "%s: %s\n", argv[0], strerror(error));
            return 1;
        }
    }
    for (int i = 0; i < files; i++)
        pthread_join(watches[i].thread, NULL);
    log_message(INFO, "end");
    free(watches);
    log_close();
    return 0;
}
