#include <pthread.h>
#include <stddef.h>
struct span { int from, to; long *marks; };
struct item { int key; char name[4]; struct span *inside; pthread_mutex_t lock; pthread_spinlock_t spin; };
struct node { struct node *next; void (*run)(struct node *); };
static struct item *head;
static int sizes[4];
static pthread_mutex_t lock;

int prepare(int size)
{
    if (size < 1)
        return -1;
    sizes[0] = size;
    return pthread_mutex_init(&lock, NULL);
}

void push(struct item *given, struct item *other, unsigned flags)
{
    pthread_mutex_lock(&lock);
    given->key = flags & 3;
    if (other)
        head = given;
    pthread_mutex_unlock(&lock);
}

long look(const char *name, struct span *where, double weight, _Bool deep, struct span whole)
{
    if (!name || deep)
        return whole.from;
    for (struct span *at = where; at->to; at++)
        if (name[0] == at->from)
            return weight > 0.5;
    return 0;
}

void release(void *any, int list[], struct node *of)
{
    list[1] = *(char *)any;
    of->run(of);
}
