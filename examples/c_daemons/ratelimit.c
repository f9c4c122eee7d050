// A token bucket: takers use atomics only, and a thread adds tokens.
//
// expect races: SAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define CLIENTS 8
#define BURST 100

static atomic_int tokens = BURST;
static atomic_bool running = true;
static atomic_ulong granted;
static atomic_ulong refused;

struct client {
    int id;
    long wanted;
    long got;
};

static bool take(void)
{
    int have = atomic_load_explicit(&tokens, memory_order_relaxed);

    while (have > 0) {
        if (atomic_compare_exchange_weak(&tokens, &have, have - 1)) {
            atomic_fetch_add(&granted, 1);
            return true;
        }
    }
    atomic_fetch_add(&refused, 1);
    return false;
}

static void *refill(void *arg)
{
    long rate = *(long *)arg;
    struct timespec pause = {.tv_sec = 0, .tv_nsec = 1000000000 / rate};

    while (atomic_load(&running)) {
        int have = atomic_load(&tokens);

        while (have < BURST && !atomic_compare_exchange_weak(&tokens, &have, have + 1))
            ;
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static void *client_main(void *arg)
{
    struct client *c = arg;

    while (c->got < c->wanted) {
        if (take())
            c->got++;
        else
            usleep(1000);
        if (!atomic_load(&running))
            break;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static struct client clients[CLIENTS];
    pthread_t threads[CLIENTS], filler;
    long rate = 1000, total = 0;
    int opt;

    while ((opt = getopt(argc, argv, "r:")) != -1) {
        switch (opt) {
        case 'r':
            rate = strtol(optarg, NULL, 10);
            break;
        default:
            fprintf(stderr, "usage: %s [-r rate]\n", argv[0]);
            return 2;
        }
    }
    if (rate <= 0)
        rate = 1;
    if (pthread_create(&filler, NULL, refill, &rate))
        return 1;
    for (int i = 0; i < CLIENTS; i++) {
        clients[i].id = i;
        clients[i].wanted = 50 + i;
        if (pthread_create(&threads[i], NULL, client_main, &clients[i]))
            abort();
    }
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(threads[i], NULL);
        total += clients[i].got;
    }
    atomic_store(&running, false);
    pthread_join(filler, NULL);
    printf("%ld got, %lu granted, %lu refused\n", total, granted, refused);
    return 0;
}
