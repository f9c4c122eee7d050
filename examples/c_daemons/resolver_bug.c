// The resolver of resolver.c, whose pointer for lazy initialisation is not atomic.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BUCKETS 32
#define WORKERS 4

struct answer {
    struct answer *next;
    char *name;
    unsigned address;
    time_t expires;
};

struct bucket {
    pthread_mutex_t lock;
    struct answer *first;
};

struct resolver {
    struct bucket buckets[BUCKETS];
    char *server;
    unsigned timeout;
};

static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;
static struct resolver *the_resolver;
static atomic_ulong hits, misses;

static struct resolver *resolver_new(void)
{
    struct resolver *r = calloc(1, sizeof *r);

    if (r == NULL)
        abort();
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&r->buckets[i].lock, NULL);
    r->server = getenv("NAMESERVER");
    r->timeout = 5;
    return r;
}

static struct resolver *resolver(void)
{
    struct resolver *r = the_resolver;

    if (r == NULL) {
        pthread_mutex_lock(&init_lock);
        r = the_resolver;
        if (r == NULL) {
            r = resolver_new();
            the_resolver = r;
        }
        pthread_mutex_unlock(&init_lock);
    }
    return r;
}

static unsigned hash(const char *s)
{
    unsigned h = 5381;

    while (*s)
        h = h * 33 + (unsigned char)*s++;
    return h;
}

static unsigned query(const struct resolver *r, const char *name)
{
    return hash(name) ^ r->timeout;
}

static unsigned resolve(const char *name)
{
    struct resolver *r = resolver();
    struct bucket *b = &r->buckets[hash(name) % BUCKETS];
    struct answer *a;
    unsigned address;

    pthread_mutex_lock(&b->lock);
    for (a = b->first; a != NULL; a = a->next) {
        if (strcmp(a->name, name) == 0) {
            if (a->expires < time(NULL)) {
                a->address = query(r, name);
                a->expires = time(NULL) + 60;
            }
            address = a->address;
            pthread_mutex_unlock(&b->lock);
            atomic_fetch_add(&hits, 1);
            return address;
        }
    }
    pthread_mutex_unlock(&b->lock);

    atomic_fetch_add(&misses, 1);
    address = query(r, name);
    a = malloc(sizeof *a);
    if (a == NULL)
        return address;
    a->name = strdup(name);
    if (a->name == NULL) {
        free(a);
        return address;
    }
    a->address = address;
    a->expires = time(NULL) + 60;
    pthread_mutex_lock(&b->lock);
    a->next = b->first;
    b->first = a;
    pthread_mutex_unlock(&b->lock);
    return address;
}

static void *worker(void *arg)
{
    static const char *const names[] = {"www", "mail", "ftp", "ns"};
    unsigned *sum = arg;

    for (int i = 0; i < 1000; i++)
        *sum += resolve(names[i % 4]);
    return NULL;
}

int main(void)
{
    pthread_t t[WORKERS];
    unsigned sums[WORKERS] = {0};

    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&t[i], NULL, worker, &sums[i]) != 0)
            abort();
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(t[i], NULL);
        printf("%u\n", sums[i]);
    }
    printf("%lu hits, %lu misses\n", atomic_load(&hits), atomic_load(&misses));
    return 0;
}
