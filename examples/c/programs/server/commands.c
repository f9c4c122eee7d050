/* What a client's thread does: it reads lines, and answers or passes them on. */

#include "server.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* A line from the client without its end; its length, or -1 when the connection ends. */
static int read_line(int descriptor, char *line, int size)
{
    int length = 0;
    char c;

    for (;;) {
        ssize_t got = recv(descriptor, &c, 1, 0);
        if (got <= 0)
            return -1;
        if (c == '\n')
            break;
        if (c != '\r' && length < size - 1)
            line[length++] = c;
    }
    line[length] = '\0';
    return length;
}

static void answer(const struct session *session, const char *text)
{
    send(session->descriptor, text, strlen(text), 0);
}

static void say(struct session *session, const char *line)
{
    char text[LINE_LENGTH + 64];

    snprintf(text, sizeof text, "%s: %s\n", session->name, line);
    session->lines++;
    if (sessions_say(session, text) == 0)
        answer(session, "nobody is here\n");
}

void *serve(void *argument)
{
    struct session *session = argument;
    char line[LINE_LENGTH];

    report("%s has come", session->name);
    while (!stopping && read_line(session->descriptor, line, sizeof line) >= 0) {
        if (strcmp(line, "/quit") == 0)
            break;
        if (strncmp(line, "/name ", 6) == 0) {
            strncpy(session->name, line + 6, sizeof session->name - 1);
            session->name[sizeof session->name - 1] = '\0';
            answer(session, "ok\n");
        } else if (line[0] != '\0') {
            say(session, line);
        }
    }
    report("%s has gone after %lu lines", session->name, session->lines);
    sessions_remove(session);
    return NULL;
}
