// Sessions with reference counts; session_put decides to free after it gave the lock back.
//
// expect races: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define SLOTS 4
struct session { int id; int refs; int dead; char user[24]; pthread_mutex_t lock; };
static struct session *slots[SLOTS];
static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *session_new(int id, const char *user)
{
    struct session *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    s->id = id;
    s->refs = 1;
    strncpy(s->user, user, sizeof s->user - 1);
    pthread_mutex_init(&s->lock, NULL);
    return s;
}
static struct session *session_get(int slot)
{
    struct session *s;
    pthread_mutex_lock(&slots_lock);
    s = slots[slot];
    if (s != NULL) {
        pthread_mutex_lock(&s->lock);
        s->refs++;
        pthread_mutex_unlock(&s->lock);
    }
    pthread_mutex_unlock(&slots_lock);
    return s;
}
static void session_put(struct session *s)
{
    pthread_mutex_lock(&s->lock);
    s->refs--;
    pthread_mutex_unlock(&s->lock);
    if (s->refs == 0) {
        pthread_mutex_destroy(&s->lock);
        free(s);
    }
}
static void *worker(void *arg)
{
    int base = *(int *)arg;
    for (int i = 0; i < 8; i++) {
        struct session *s = session_get((base + i) % SLOTS);
        if (s == NULL) continue;
        if (s->id < 0) fprintf(stderr, "bad session %s\n", s->user);
        session_put(s);
    }
    return NULL;
}
static void *reaper(void *unused)
{
    (void)unused;
    for (int i = 0; i < SLOTS; i++) {
        pthread_mutex_lock(&slots_lock);
        struct session *s = slots[i];
        slots[i] = NULL;
        pthread_mutex_unlock(&slots_lock);
        if (s != NULL) session_put(s);
    }
    return NULL;
}
int main(void)
{
    pthread_t workers[2], r;
    int base[2] = {0, 2};
    for (int i = 0; i < SLOTS; i++) {
        slots[i] = session_new(i, "root");
        if (slots[i] == NULL) return 1;
    }
    for (int i = 0; i < 2; i++)
        if (pthread_create(&workers[i], NULL, worker, &base[i]) != 0) return 1;
    if (pthread_create(&r, NULL, reaper, NULL) != 0) return 1;
    for (int i = 0; i < 2; i++) pthread_join(workers[i], NULL);
    pthread_join(r, NULL);
    return 0;
}
