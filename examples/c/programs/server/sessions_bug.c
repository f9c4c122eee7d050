// The server with sessions whose number is asked for without the mutex when it stops.
//
// expect assertions: SAFE
// expect races: UNSAFE
// expect mutex: SAFE
// beside main.c commands.c

#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct session *sessions[MAX_CLIENTS];
static unsigned session_count;
static unsigned next_id = 1;

static int free_slot(void)
{
    for (int i = 0; i < MAX_CLIENTS; i++)
        if (sessions[i] == NULL)
            return i;
    return -1;
}

int sessions_add(int descriptor)
{
    pthread_t thread;
    struct session *session = malloc(sizeof *session);

    if (session == NULL) {
        close(descriptor);
        return -1;
    }
    session->descriptor = descriptor;
    session->lines = 0;

    pthread_mutex_lock(&mutex);
    int slot = free_slot();
    if (slot < 0) {
        pthread_mutex_unlock(&mutex);
        close(descriptor);
        free(session);
        return -1;
    }
    session->id = next_id++;
    snprintf(session->name, sizeof session->name, "guest%u", session->id);
    sessions[slot] = session;
    session_count++;
    pthread_mutex_unlock(&mutex);

    if (pthread_create(&thread, NULL, serve, session) != 0) {
        sessions_remove(session);
        return -1;
    }
    pthread_detach(thread);
    return 0;
}

/* Forgets a session, closes its connection and frees it. */
void sessions_remove(struct session *session)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < MAX_CLIENTS; i++)
        if (sessions[i] == session)
            sessions[i] = NULL;
    session_count--;
    pthread_mutex_unlock(&mutex);
    close(session->descriptor);
    free(session);
}

/* Sends a text to everybody else; returns to how many. */
int sessions_say(const struct session *from, const char *text)
{
    int receivers = 0;
    size_t length = strlen(text);

    pthread_mutex_lock(&mutex);
    for (int i = 0; i < MAX_CLIENTS; i++) {
        struct session *session = sessions[i];
        if (session == NULL || session->id == from->id)
            continue;
        if (send(session->descriptor, text, length, 0) == (ssize_t)length)
            receivers++;
    }
    pthread_mutex_unlock(&mutex);
    return receivers;
}

void sessions_close(void)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < MAX_CLIENTS; i++)
        if (sessions[i] != NULL)
            shutdown(sessions[i]->descriptor, SHUT_RDWR);
    pthread_mutex_unlock(&mutex);
    while (session_count > 0)
        sleep(1);
}
