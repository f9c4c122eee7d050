/* Chat server: poll loop, broadcast thread, linked clients. */
#define _GNU_SOURCE
#include <poll.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>
#include <errno.h>
#include <err.h>
struct client { LIST_ENTRY(client) link; int fd; char nick[16]; };
static LIST_HEAD(, client) clients = LIST_HEAD_INITIALIZER(clients);
static pthread_mutex_t lk = PTHREAD_MUTEX_INITIALIZER;
static int wake[2];
static void broadcast(const char *msg, size_t n, int except)
{
    struct client *c;
    pthread_mutex_lock(&lk);
    LIST_FOREACH(c, &clients, link)
        if (c->fd != except && write(c->fd, msg, n) < 0 && errno != EAGAIN) warn("write to %s", c->nick);
    pthread_mutex_unlock(&lk);
}
static void *reader(void *arg)
{
    struct client *c = arg;
    char line[256];
    for (;;) {
        ssize_t n = read(c->fd, line, sizeof line - 1);
        if (n <= 0) break;
        line[n] = 0;
        if (!strncmp(line, "/nick ", 6)) {
            line[strcspn(line, "\r\n")] = 0;
            pthread_mutex_lock(&lk); snprintf(c->nick, sizeof c->nick, "%s", line + 6); pthread_mutex_unlock(&lk);
        } else broadcast(line, (size_t)n, c->fd);
    }
    pthread_mutex_lock(&lk); LIST_REMOVE(c, link); pthread_mutex_unlock(&lk);
    close(c->fd); free(c);
    (void)!write(wake[1], "x", 1);
    return NULL;
}
int main(int argc, char **argv)
{
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE }, *res, *ai;
    int s = -1, on = 1, rc = getaddrinfo(NULL, argc > 1 ? argv[1] : "6667", &hints, &res);
    if (rc) errx(1, "%s", gai_strerror(rc));
    for (ai = res; ai; ai = ai->ai_next) {
        s = socket(ai->ai_family, ai->ai_socktype, ai->ai_protocol);
        if (s < 0) continue;
        setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (!bind(s, ai->ai_addr, ai->ai_addrlen) && !listen(s, 5)) break;
        close(s); s = -1;
    }
    freeaddrinfo(res);
    if (s < 0) err(1, "listen");
    if (pipe2(wake, O_CLOEXEC)) err(1, "pipe");
    struct pollfd p[2] = { { .fd = s, .events = POLLIN }, { .fd = wake[0], .events = POLLIN } };
    while (poll(p, 2, -1) >= 0) {
        if (p[1].revents & POLLIN) { char b[8]; if (read(wake[0], b, sizeof b) < 0) break; }
        if (!(p[0].revents & POLLIN)) continue;
        int fd = accept4(s, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) continue;
        struct client *c = calloc(1, sizeof *c);
        if (!c) { close(fd); continue; }
        c->fd = fd; strcpy(c->nick, "anon");
        pthread_mutex_lock(&lk); LIST_INSERT_HEAD(&clients, c, link); pthread_mutex_unlock(&lk);
        pthread_t t;
        if (pthread_create(&t, NULL, reader, c)) abort();
        pthread_detach(t);
    }
    return 0;
}
