// A job queue: the worker looks at the job's text after it gave the lock back, cancel frees it.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct job { int id, state; char *command; struct job *next; };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct job *jobs;
static int closed, next_id;
static int submit(const char *command)
{
    struct job *j = calloc(1, sizeof *j);
    if (j == NULL) return -1;
    j->command = strdup(command);
    if (j->command == NULL) { free(j); return -1; }
    pthread_mutex_lock(&lock);
    j->id = next_id++;
    j->next = jobs;
    jobs = j;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
    return j->id;
}
static void cancel(int id)
{
    pthread_mutex_lock(&lock);
    for (struct job **p = &jobs; *p != NULL; p = &(*p)->next)
        if ((*p)->id == id) {
            struct job *j = *p;
            *p = j->next;
            free(j->command);
            free(j);
            break;
        }
    pthread_mutex_unlock(&lock);
}
static void *worker(void *arg)
{
    (void)arg;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (jobs == NULL && !closed) pthread_cond_wait(&more, &lock);
        struct job *j = jobs;
        if (j == NULL) { pthread_mutex_unlock(&lock); return NULL; }
        j->state = 1;
        pthread_mutex_unlock(&lock);
        printf("running %s\n", j->command);
        cancel(j->id);
    }
}
int main(void)
{
    pthread_t t[2];
    char line[32];
    for (int i = 0; i < 2; i++) if (pthread_create(&t[i], NULL, worker, NULL) != 0) return 1;
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (line[0] == '-') cancel(atoi(line + 1));
        else if (submit(line) < 0) break;
    }
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    return 0;
}
