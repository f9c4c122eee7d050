#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int total, which;
struct task { void *(*run)(void *); pthread_t id; } tasks[2];

static void unlock(void *p) { pthread_mutex_unlock(p); }
static void *one(void *p) { total++; return p; }

static void deep(int n)
{
    int local = n, *p = &local;
    if (n == 0)
        pthread_exit((void *)3L);
    deep(*p - 1);
}

static void *two(void *p)
{
    pthread_cleanup_push(unlock, &lock);
    pthread_mutex_lock(&lock);
    deep(2);
    pthread_cleanup_pop(1);
    return p;
}

static int three(void *p) { return *(int *)p; }
static long four(int n) { return n; }
static void leave(void) { total = 0; }

int main(void)
{
    thrd_t light;
    pthread_t odd;
    tasks[0].run = one;
    tasks[1].run = two;
    pthread_create(&tasks[0].id, 0, tasks[which & 1].run, &which);
    thrd_create(&light, three, &which);
    pthread_create(&odd, 0, (void *(*)(void *))four, (void *)5);
    while (pthread_tryjoin_np(tasks[0].id, 0))
        which++;
    int code;
    thrd_join(light, &code);
    atexit(leave);
    if (which > 4)
        pthread_exit(0);
    return code;
}
