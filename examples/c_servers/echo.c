// A TCP echo server: one thread accepts, workers take connections from a bounded queue and send back line by line
// what they read. A thread of its own waits for SIGINT and SIGTERM and shuts the server down.

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define WORKERS 4
#define BACKLOG 64
#define QUEUE_SIZE 32
#define LINE_SIZE 1024

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty;
    pthread_cond_t not_full;
    int sockets[QUEUE_SIZE];
    unsigned first;
    unsigned count;
    bool closed;
};

struct totals {
    atomic_ulong connections;
    atomic_ulong lines;
    atomic_ulong bytes;
};

static struct queue waiting = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .not_empty = PTHREAD_COND_INITIALIZER,
    .not_full = PTHREAD_COND_INITIALIZER,
};
static struct totals totals;
static atomic_bool stopping;
static int listener = -1; /* set before the threads start */

static void fail(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

static void check(int error, const char *what)
{
    if (error != 0) {
        fprintf(stderr, "echo: %s: %s\n", what, strerror(error));
        exit(EXIT_FAILURE);
    }
}

/* Returns false if the queue was closed; the socket then stays with the caller. */
static bool queue_put(struct queue *queue, int socket)
{
    bool put = false;

    pthread_mutex_lock(&queue->lock);
    while (queue->count == QUEUE_SIZE && !queue->closed)
        pthread_cond_wait(&queue->not_full, &queue->lock);
    if (!queue->closed) {
        queue->sockets[(queue->first + queue->count) % QUEUE_SIZE] = socket;
        queue->count++;
        put = true;
        pthread_cond_signal(&queue->not_empty);
    }
    pthread_mutex_unlock(&queue->lock);
    return put;
}

/* The next socket, or -1 when the queue is closed and empty. */
static int queue_get(struct queue *queue)
{
    int socket = -1;

    pthread_mutex_lock(&queue->lock);
    while (queue->count == 0 && !queue->closed)
        pthread_cond_wait(&queue->not_empty, &queue->lock);
    if (queue->count > 0) {
        socket = queue->sockets[queue->first];
        queue->first = (queue->first + 1) % QUEUE_SIZE;
        queue->count--;
        pthread_cond_signal(&queue->not_full);
    }
    pthread_mutex_unlock(&queue->lock);
    return socket;
}

static void queue_close(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closed = true;
    pthread_cond_broadcast(&queue->not_empty);
    pthread_cond_broadcast(&queue->not_full);
    pthread_mutex_unlock(&queue->lock);
}

static bool send_all(int socket, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(socket, data, size, MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno == EINTR)
                continue;
            return false;
        }
        data += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* Sends back every whole line of the buffer; returns how much of it is left, or -1 on an error. */
static ssize_t echo_lines(int socket, char *buffer, size_t filled)
{
    size_t start = 0;

    for (size_t i = 0; i < filled; i++) {
        if (buffer[i] != '\n')
            continue;
        if (!send_all(socket, buffer + start, i + 1 - start))
            return -1;
        atomic_fetch_add(&totals.lines, 1);
        atomic_fetch_add(&totals.bytes, i + 1 - start);
        start = i + 1;
    }
    if (start == 0 && filled == LINE_SIZE) /* a line too long: drop it */
        return 0;
    memmove(buffer, buffer + start, filled - start);
    return (ssize_t)(filled - start);
}

static void serve(int socket)
{
    char buffer[LINE_SIZE];
    size_t filled = 0;

    while (!atomic_load(&stopping)) {
        ssize_t got = recv(socket, buffer + filled, sizeof buffer - filled, 0);
        if (got == 0)
            break;
        if (got < 0) {
            if (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)
                continue; /* look whether we stop, once a second */
            break;
        }
        ssize_t left = echo_lines(socket, buffer, filled + (size_t)got);
        if (left < 0)
            break;
        filled = (size_t)left;
    }
}

static void *worker(void *argument)
{
    unsigned long *served = argument;
    int socket;

    while ((socket = queue_get(&waiting)) != -1) {
        struct timeval second = {.tv_sec = 1};
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
        serve(socket);
        close(socket);
        (*served)++;
    }
    return NULL;
}

static void *acceptor(void *argument)
{
    (void)argument;
    while (!atomic_load(&stopping)) {
        struct sockaddr_in peer;
        socklen_t size = sizeof peer;
        int socket = accept(listener, (struct sockaddr *)&peer, &size);
        if (socket < 0) {
            if (errno == EINTR || errno == ECONNABORTED || errno == EMFILE)
                continue;
            break; /* the listener was shut down */
        }
        atomic_fetch_add(&totals.connections, 1);
        if (!queue_put(&waiting, socket))
            close(socket);
    }
    return NULL;
}

static void *signal_waiter(void *argument)
{
    const sigset_t *signals = argument;
    int number;

    if (sigwait(signals, &number) == 0)
        fprintf(stderr, "echo: signal %d, stopping\n", number);
    atomic_store(&stopping, true);
    shutdown(listener, SHUT_RDWR);
    queue_close(&waiting);
    return NULL;
}

static int listen_on(unsigned short port)
{
    struct sockaddr_in address;
    int yes = 1;

    int socket_ = socket(AF_INET, SOCK_STREAM, 0);
    if (socket_ < 0)
        fail("socket");
    setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    if (bind(socket_, (struct sockaddr *)&address, sizeof address) < 0)
        fail("bind");
    if (listen(socket_, BACKLOG) < 0)
        fail("listen");
    return socket_;
}

int main(int argc, char **argv)
{
    pthread_t workers[WORKERS], accepting, signalling;
    unsigned long served[WORKERS] = {0};
    sigset_t signals;

    long port = argc > 1 ? strtol(argv[1], NULL, 10) : 7007;
    if (port <= 0 || port > 65535) {
        fprintf(stderr, "usage: %s [port]\n", argv[0]);
        return EXIT_FAILURE;
    }
    listener = listen_on((unsigned short)port);

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    check(pthread_sigmask(SIG_BLOCK, &signals, NULL), "pthread_sigmask");

    for (int i = 0; i < WORKERS; i++)
        check(pthread_create(&workers[i], NULL, worker, &served[i]), "pthread_create");
    check(pthread_create(&accepting, NULL, acceptor, NULL), "pthread_create");
    check(pthread_create(&signalling, NULL, signal_waiter, &signals), "pthread_create");

    pthread_join(signalling, NULL);
    pthread_join(accepting, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    close(listener);

    for (int i = 0; i < WORKERS; i++)
        printf("worker %d: %lu connections\n", i, served[i]);
    printf("%lu connections, %lu lines, %lu bytes\n", atomic_load(&totals.connections),
           atomic_load(&totals.lines), atomic_load(&totals.bytes));
    return EXIT_SUCCESS;
}
