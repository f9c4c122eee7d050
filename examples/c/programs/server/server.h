/* The parts of the server. */

#ifndef SERVER_H
#define SERVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define MAX_CLIENTS 64
#define LINE_LENGTH 256

/* sessions.c: who is connected. */

struct session {
    int descriptor;
    unsigned id;
    unsigned long lines;
    char name[32];
};

int sessions_add(int descriptor);                          /* starts a thread; 0, or closes it and -1 */
void sessions_remove(struct session *session);
int sessions_say(const struct session *from, const char *text);
void sessions_close(void);                                 /* ends all and waits for their threads */

/* commands.c: what clients may say. */

void *serve(void *session);

/* main.c */

extern atomic_int stopping; /* lock-free: the handler may run in any thread */

void report(const char *format, ...);

#endif
