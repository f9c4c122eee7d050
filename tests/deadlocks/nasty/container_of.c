/* UNSAFE: the record is found from its member by arithmetic, and its lock is taken again */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
#include <stddef.h>
struct link {
    struct link *next;
};
struct item {
    pthread_mutex_t m;
    struct link l;
};
static struct item it = { PTHREAD_MUTEX_INITIALIZER, { 0 } };
static void take(struct link *l)
{
    struct item *p = (struct item *)((char *)l - offsetof(struct item, l));
    pthread_mutex_lock(&p->m);
    pthread_mutex_unlock(&p->m);
}
int main(void)
{
    pthread_mutex_lock(&it.m);
    take(&it.l);
    pthread_mutex_unlock(&it.m);
    return 0;
}
