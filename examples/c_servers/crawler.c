// A crawler: every worker has a list of pages of its own and steals from the others when it is empty. Pages that were
// seen are in a set under striped spin locks; a count of pages that are not done yet tells when the crawl is over.
// The web is made up: the links of a page are computed from its number.

#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORKERS 4
#define STRIPES 16
#define SLOTS 64 /* of the set, in each stripe */
#define LINKS 3
#define MAX_DEPTH 6
#define PAGES 5000

struct page {
    uint32_t number;
    unsigned depth;
    struct page *newer;
    struct page *older;
};

/* The owner works at the new end, thieves at the old one. */
struct deque {
    pthread_mutex_t lock;
    struct page *newest;
    struct page *oldest;
    unsigned length;
};

struct worker {
    pthread_t thread;
    unsigned number;
    struct deque deque;
    unsigned long visited; /* of the worker until it is joined */
    unsigned long stolen;
    uint64_t checksum;
};

struct seen {
    uint32_t number;
    struct seen *next;
};

static struct {
    pthread_spinlock_t lock;
    struct seen *slots[SLOTS];
    unsigned count;
} stripes[STRIPES];

static struct worker workers[WORKERS];
static atomic_long unfinished; /* pages in a list or in work */
static atomic_bool out_of_memory;
static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;

static uint32_t scramble(uint32_t value)
{
    value ^= value >> 16;
    value *= 0x45d9f3bu;
    value ^= value >> 15;
    return value;
}

/* True for the first who asks. */
static bool first_visit(uint32_t number)
{
    unsigned stripe = number % STRIPES, slot = number / STRIPES % SLOTS;
    struct seen *fresh = malloc(sizeof *fresh);
    bool is_first = true;

    if (fresh == NULL) {
        atomic_store(&out_of_memory, true);
        return false;
    }
    fresh->number = number;
    pthread_spin_lock(&stripes[stripe].lock);
    for (struct seen *at = stripes[stripe].slots[slot]; at != NULL; at = at->next)
        if (at->number == number)
            is_first = false;
    if (is_first) {
        fresh->next = stripes[stripe].slots[slot];
        stripes[stripe].slots[slot] = fresh;
        stripes[stripe].count++;
    }
    pthread_spin_unlock(&stripes[stripe].lock);
    if (!is_first)
        free(fresh);
    return is_first;
}

static void push(struct deque *deque, struct page *page)
{
    pthread_mutex_lock(&deque->lock);
    page->newer = NULL;
    page->older = deque->newest;
    if (deque->newest != NULL)
        deque->newest->newer = page;
    else
        deque->oldest = page;
    deque->newest = page;
    deque->length++;
    pthread_mutex_unlock(&deque->lock);
}

static struct page *pop(struct deque *deque)
{
    pthread_mutex_lock(&deque->lock);
    struct page *page = deque->newest;
    if (page != NULL) {
        deque->newest = page->older;
        if (deque->newest != NULL)
            deque->newest->newer = NULL;
        else
            deque->oldest = NULL;
        deque->length--;
    }
    pthread_mutex_unlock(&deque->lock);
    return page;
}

/* Does not wait for a list that is in use. */
static struct page *steal(struct deque *deque)
{
    if (pthread_mutex_trylock(&deque->lock) != 0)
        return NULL;
    struct page *page = deque->oldest;
    if (page != NULL) {
        deque->oldest = page->newer;
        if (deque->oldest != NULL)
            deque->oldest->older = NULL;
        else
            deque->newest = NULL;
        deque->length--;
    }
    pthread_mutex_unlock(&deque->lock);
    return page;
}

static void discover(struct worker *worker, uint32_t number, unsigned depth)
{
    if (depth > MAX_DEPTH || !first_visit(number))
        return;
    struct page *page = malloc(sizeof *page);
    if (page == NULL) {
        atomic_store(&out_of_memory, true);
        return;
    }
    page->number = number;
    page->depth = depth;
    atomic_fetch_add(&unfinished, 1); /* before anybody can take it */
    push(&worker->deque, page);
}

static void visit(struct worker *worker, struct page *page)
{
    worker->visited++;
    worker->checksum += page->number;
    for (uint32_t link = 0; link < LINKS; link++)
        discover(worker, scramble(page->number * LINKS + link) % PAGES, page->depth + 1);
    free(page);
    atomic_fetch_sub(&unfinished, 1); /* after its links are counted */
}

static struct page *find_work(struct worker *worker)
{
    struct page *page = pop(&worker->deque);

    for (unsigned i = 1; page == NULL && i < WORKERS; i++) {
        page = steal(&workers[(worker->number + i) % WORKERS].deque);
        if (page != NULL)
            worker->stolen++;
    }
    return page;
}

static void *work(void *argument)
{
    struct worker *worker = argument;

    while (atomic_load(&unfinished) > 0) {
        struct page *page = find_work(worker);
        if (page != NULL)
            visit(worker, page);
        else
            sched_yield();
    }
    pthread_mutex_lock(&output);
    printf("worker %u is done\n", worker->number);
    pthread_mutex_unlock(&output);
    return NULL;
}

static unsigned forget_all(void)
{
    unsigned count = 0;

    for (unsigned stripe = 0; stripe < STRIPES; stripe++) {
        for (unsigned slot = 0; slot < SLOTS; slot++) {
            struct seen *at = stripes[stripe].slots[slot];
            while (at != NULL) {
                struct seen *next = at->next;
                free(at);
                at = next;
            }
        }
        count += stripes[stripe].count;
        pthread_spin_destroy(&stripes[stripe].lock);
    }
    return count;
}

int main(int argc, char **argv)
{
    unsigned long visited = 0, stolen = 0;
    uint64_t checksum = 0;

    for (unsigned i = 0; i < STRIPES; i++)
        pthread_spin_init(&stripes[i].lock, PTHREAD_PROCESS_PRIVATE);
    for (unsigned i = 0; i < WORKERS; i++) {
        workers[i].number = i;
        pthread_mutex_init(&workers[i].deque.lock, NULL);
    }
    if (argc < 2)
        discover(&workers[0], 1, 0);
    for (int i = 1; i < argc; i++)
        discover(&workers[i % WORKERS], (uint32_t)strtoul(argv[i], NULL, 10) % PAGES, 0);

    for (unsigned i = 0; i < WORKERS; i++) {
        int error = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
        if (error != 0) {
            fprintf(stderr, "crawler: %s\n", strerror(error));
            exit(EXIT_FAILURE);
        }
    }
    for (unsigned i = 0; i < WORKERS; i++) {
        pthread_join(workers[i].thread, NULL);
        visited += workers[i].visited;
        stolen += workers[i].stolen;
        checksum += workers[i].checksum;
        pthread_mutex_destroy(&workers[i].deque.lock);
    }
    unsigned known = forget_all();
    printf("%lu pages of %u, %lu stolen, checksum %llu\n", visited, known, stolen, (unsigned long long)checksum);
    return atomic_load(&out_of_memory) ? EXIT_FAILURE : EXIT_SUCCESS;
}
