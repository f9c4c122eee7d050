// An echo server with a thread for each connection; a table of connections that a console prints; SIGTERM ends it by a flag.
//
// expect races: SAFE

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_CONN 16
#define LINE 256

struct conn {
    int used;
    int fd;
    char peer[INET_ADDRSTRLEN];
    unsigned long bytes;
    time_t since;
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct conn table[MAX_CONN];
static int open_conns;
static unsigned long total_accepted, total_refused;
static volatile sig_atomic_t quit;

static void on_term(int sig)
{
    (void)sig;
    quit = 1;
}

static struct conn *conn_open(int fd, const struct sockaddr_in *from)
{
    struct conn *c = NULL;

    pthread_mutex_lock(&table_lock);
    total_accepted++;
    for (int i = 0; i < MAX_CONN; i++) {
        if (!table[i].used) {
            c = &table[i];
            c->used = 1;
            c->fd = fd;
            c->bytes = 0;
            c->since = time(NULL);
            inet_ntop(AF_INET, &from->sin_addr, c->peer, sizeof c->peer);
            open_conns++;
            break;
        }
    }
    if (c == NULL)
        total_refused++;
    pthread_mutex_unlock(&table_lock);
    return c;
}

static void conn_close(struct conn *c)
{
    int fd;

    pthread_mutex_lock(&table_lock);
    fd = c->fd;
    c->used = 0;
    open_conns--;
    pthread_mutex_unlock(&table_lock);
    close(fd);
}

static void conn_count(struct conn *c, size_t n)
{
    pthread_mutex_lock(&table_lock);
    c->bytes += n;
    pthread_mutex_unlock(&table_lock);
}

static int write_all(int fd, const char *buf, size_t n)
{
    while (n > 0) {
        ssize_t k = write(fd, buf, n);

        if (k < 0) {
            if (errno == EINTR)
                continue;
            return -1;
        }
        buf += k;
        n -= (size_t)k;
    }
    return 0;
}

struct start {
    struct conn *conn;
    int fd;
};

static void *serve(void *arg)
{
    struct start *s = arg;
    struct conn *c = s->conn;
    int fd = s->fd;
    char buf[LINE];
    ssize_t n;

    free(s);
    while ((n = read(fd, buf, sizeof buf)) > 0) {
        if (write_all(fd, buf, (size_t)n) < 0)
            break;
        conn_count(c, (size_t)n);
    }
    conn_close(c);
    return NULL;
}

static void *console(void *arg)
{
    (void)arg;
    for (;;) {
        sleep(10);
        pthread_mutex_lock(&table_lock);
        printf("%d open, %lu accepted, %lu refused\n", open_conns, total_accepted, total_refused);
        for (int i = 0; i < MAX_CONN; i++)
            if (table[i].used)
                printf("  %s: %lu bytes\n", table[i].peer, table[i].bytes);
        pthread_mutex_unlock(&table_lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct sockaddr_in addr;
    struct sigaction sa;
    pthread_t t;
    int port = 7007, s, one = 1;

    if (argc > 1)
        port = atoi(argv[1]);
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = on_term;
    sigaction(SIGTERM, &sa, NULL);
    signal(SIGPIPE, SIG_IGN);

    s = socket(AF_INET, SOCK_STREAM, 0);
    if (s < 0) {
        perror("socket");
        return 1;
    }
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    memset(&addr, 0, sizeof addr);
    addr.sin_family = AF_INET;
    addr.sin_port = htons((uint16_t)port);
    addr.sin_addr.s_addr = htonl(INADDR_ANY);
    if (bind(s, (struct sockaddr *)&addr, sizeof addr) < 0 || listen(s, 16) < 0) {
        perror("bind");
        return 1;
    }
    if (pthread_create(&t, NULL, console, NULL) != 0)
        return 1;
    pthread_detach(t);

    while (!quit) {
        struct sockaddr_in from;
        socklen_t len = sizeof from;
        int fd = accept(s, (struct sockaddr *)&from, &len);
        struct start *st;
        struct conn *c;

        if (fd < 0) {
            if (errno == EINTR)
                continue;
            perror("accept");
            break;
        }
        c = conn_open(fd, &from);
        if (c == NULL) {
            close(fd);
            continue;
        }
        st = malloc(sizeof *st);
        if (st == NULL) {
            conn_close(c);
            continue;
        }
        st->conn = c;
        st->fd = fd;
        if (pthread_create(&t, NULL, serve, st) != 0) {
            free(st);
            conn_close(c);
            continue;
        }
        pthread_detach(t);
    }
    close(s);
    return 0;
}
