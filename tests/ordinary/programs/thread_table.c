/* Per-thread table keyed by thread ids as numbers. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define SLOTS 16
struct slot { uintptr_t id; unsigned calls; struct slot *next; };
static struct slot *table[SLOTS];
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static unsigned hash(uintptr_t id) { return (unsigned)((id >> 12) ^ (id >> 4)) % SLOTS; }
static struct slot *find(uintptr_t id)
{
    for (struct slot *s = table[hash(id)]; s; s = s->next) if (s->id == id) return s;
    return NULL;
}
static struct slot *mine(void)
{
    uintptr_t id = (uintptr_t)pthread_self();
    pthread_rwlock_rdlock(&lock);
    struct slot *s = find(id);
    pthread_rwlock_unlock(&lock);
    if (s) return s;
    s = calloc(1, sizeof *s);
    if (!s) abort();
    s->id = id;
    pthread_rwlock_wrlock(&lock);
    s->next = table[hash(id)];
    table[hash(id)] = s;
    pthread_rwlock_unlock(&lock);
    return s;
}
static void *run(void *arg) { for (int i = 0; i < 2; i++) mine()->calls++; return arg; }
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, run, NULL);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    unsigned total = 0;
    for (int i = 0; i < SLOTS; i++) for (struct slot *s = table[i]; s; s = s->next) total += s->calls;
    printf("%u calls by thread %lu and others\n", total, (unsigned long)pthread_self());
    return 0;
}
