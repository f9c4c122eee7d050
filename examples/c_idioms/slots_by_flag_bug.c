// Free sessions have a flag; whoever sets it under the lock may use the session without it. Wrong
// here: the flag is tested without the lock, so two threads may find the same session.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define SESSIONS 2
#define THREADS 2

struct session {
    bool busy;
    int requests;
    int last;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct session sessions[SESSIONS];

static struct session *session_open(void)
{
    struct session *found = NULL;
    for (int i = 0; i < SESSIONS && !found; i++) {
        pthread_mutex_lock(&lock);
        bool busy = sessions[i].busy;
        pthread_mutex_unlock(&lock);
        if (!busy) {
            pthread_mutex_lock(&lock);
            sessions[i].busy = true;
            found = &sessions[i];
            pthread_mutex_unlock(&lock);
        }
    }
    return found;
}

static void session_close(struct session *s)
{
    pthread_mutex_lock(&lock);
    s->busy = false;
    pthread_mutex_unlock(&lock);
}

static void *client(void *unused)
{
    struct session *s = session_open();
    if (s) {
        s->requests++;
        s->last = s->requests;
        session_close(s);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, client, NULL) != 0)
            abort();
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return sessions[0].requests > 0 ? 0 : 1;
}
