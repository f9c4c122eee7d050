// A chat server: a thread per client, rooms under a read-write lock each, and a shutdown by SIGINT or SIGTERM. A line
// goes to everybody in the room of its sender; "/join ROOM", "/who" and "/quit" are commands.

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROOMS 8
#define CLIENTS 64
#define LINE_SIZE 512

struct client {
    int socket;
    pthread_mutex_t output; /* whole lines only */
    int room;               /* of the thread that serves the client */
    char name[24];
    struct client *next; /* in its room: under the lock of the room */
};

struct room {
    pthread_rwlock_t lock;
    struct client *members;
    unsigned count;
};

static struct room rooms[ROOMS];

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned count;
    bool stopping;
    int sockets[CLIENTS]; /* -1: free */
} server = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER,
};

static void send_line(struct client *client, const char *line)
{
    size_t size = strlen(line);

    pthread_mutex_lock(&client->output);
    while (size > 0) {
        ssize_t sent = send(client->socket, line, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0) {
            if (errno == EINTR)
                continue;
            break; /* slow readers lose what they do not take */
        }
        line += sent;
        size -= (size_t)sent;
    }
    pthread_mutex_unlock(&client->output);
}

static void room_enter(int number, struct client *client)
{
    struct room *room = &rooms[number];

    pthread_rwlock_wrlock(&room->lock);
    client->next = room->members;
    room->members = client;
    room->count++;
    pthread_rwlock_unlock(&room->lock);
    client->room = number;
}

static void room_leave(struct client *client)
{
    struct room *room = &rooms[client->room];

    pthread_rwlock_wrlock(&room->lock);
    for (struct client **at = &room->members; *at != NULL; at = &(*at)->next) {
        if (*at == client) {
            *at = client->next;
            room->count--;
            break;
        }
    }
    pthread_rwlock_unlock(&room->lock);
}

static void room_say(struct client *from, const char *text)
{
    struct room *room = &rooms[from->room];
    char line[LINE_SIZE + 32];

    snprintf(line, sizeof line, "%s: %s\n", from->name, text);
    pthread_rwlock_rdlock(&room->lock);
    for (struct client *to = room->members; to != NULL; to = to->next)
        if (to != from)
            send_line(to, line);
    pthread_rwlock_unlock(&room->lock);
}

static void room_list(struct client *client)
{
    char line[64];

    for (int i = 0; i < ROOMS; i++) {
        pthread_rwlock_rdlock(&rooms[i].lock);
        unsigned count = rooms[i].count;
        pthread_rwlock_unlock(&rooms[i].lock);
        snprintf(line, sizeof line, "room %d: %u\n", i, count);
        send_line(client, line);
    }
}

/* Returns false when the client wants to go. */
static bool handle(struct client *client, char *line)
{
    if (strcmp(line, "/quit") == 0)
        return false;
    if (strcmp(line, "/who") == 0) {
        room_list(client);
    } else if (strncmp(line, "/join ", 6) == 0) {
        long number = strtol(line + 6, NULL, 10);
        if (number < 0 || number >= ROOMS) {
            send_line(client, "no such room\n");
        } else if (number != client->room) {
            room_leave(client);
            room_enter((int)number, client);
        }
    } else if (line[0] != '\0') {
        room_say(client, line);
    }
    return true;
}

static void talk(struct client *client)
{
    char buffer[LINE_SIZE];
    size_t filled = 0;

    for (;;) {
        ssize_t got = recv(client->socket, buffer + filled, sizeof buffer - 1 - filled, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return;
        filled += (size_t)got;
        buffer[filled] = '\0';
        char *start = buffer, *end;
        while ((end = strchr(start, '\n')) != NULL) {
            *end = '\0';
            if (!handle(client, start))
                return;
            start = end + 1;
        }
        filled = strlen(start);
        memmove(buffer, start, filled);
        if (filled == sizeof buffer - 1)
            filled = 0;
    }
}

/* Keeps the socket, so that a shutdown can wake its thread up; false if there is no room or the server stops. */
static bool server_add(int socket)
{
    bool added = false;

    pthread_mutex_lock(&server.lock);
    for (int i = 0; i < CLIENTS && !server.stopping && !added; i++) {
        if (server.sockets[i] == -1) {
            server.sockets[i] = socket;
            server.count++;
            added = true;
        }
    }
    pthread_mutex_unlock(&server.lock);
    return added;
}

/* Closes the socket under the lock: its number may be given out again at once. */
static void server_remove(int socket)
{
    pthread_mutex_lock(&server.lock);
    for (int i = 0; i < CLIENTS; i++) {
        if (server.sockets[i] == socket) {
            server.sockets[i] = -1;
            server.count--;
            close(socket);
            break;
        }
    }
    pthread_cond_signal(&server.changed);
    pthread_mutex_unlock(&server.lock);
}

static void *client_main(void *argument)
{
    struct client *client = argument;

    room_enter(0, client);
    send_line(client, "welcome\n");
    talk(client);
    room_leave(client);
    pthread_mutex_destroy(&client->output);
    int socket = client->socket;
    free(client);
    server_remove(socket);
    return NULL;
}

static void greet(int socket)
{
    pthread_t thread;
    struct client *client = calloc(1, sizeof *client);

    if (client == NULL || !server_add(socket)) {
        free(client);
        close(socket);
        return;
    }
    client->socket = socket;
    pthread_mutex_init(&client->output, NULL);
    snprintf(client->name, sizeof client->name, "guest%d", socket);
    if (pthread_create(&thread, NULL, client_main, client) != 0) {
        pthread_mutex_destroy(&client->output);
        free(client);
        server_remove(socket);
        return;
    }
    pthread_detach(thread);
}

static void *listener_main(void *argument)
{
    int listener = *(int *)argument;

    for (;;) {
        int socket = accept(listener, NULL, NULL);
        if (socket >= 0)
            greet(socket);
        else if (errno != EINTR && errno != ECONNABORTED)
            return NULL;
    }
}

static void shut_down(int listener, pthread_t listening)
{
    pthread_mutex_lock(&server.lock);
    server.stopping = true;
    pthread_mutex_unlock(&server.lock);
    shutdown(listener, SHUT_RDWR);
    pthread_join(listening, NULL);

    pthread_mutex_lock(&server.lock);
    for (int i = 0; i < CLIENTS; i++)
        if (server.sockets[i] != -1)
            shutdown(server.sockets[i], SHUT_RDWR);
    while (server.count > 0)
        pthread_cond_wait(&server.changed, &server.lock);
    pthread_mutex_unlock(&server.lock);
}

int main(int argc, char **argv)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    pthread_t listening;
    sigset_t signals;
    int number;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(argc > 1 ? (unsigned short)atoi(argv[1]) : 7008);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) < 0 ||
        listen(listener, 16) < 0) {
        perror("chat");
        return EXIT_FAILURE;
    }
    for (int i = 0; i < ROOMS; i++)
        pthread_rwlock_init(&rooms[i].lock, NULL);
    for (int i = 0; i < CLIENTS; i++)
        server.sockets[i] = -1;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    if (pthread_create(&listening, NULL, listener_main, &listener) != 0)
        return EXIT_FAILURE;
    sigwait(&signals, &number);
    shut_down(listener, listening);
    close(listener);
    puts("everybody has gone");
    return EXIT_SUCCESS;
}
