// A timer wheel: clients arm timers in an array of lists under one lock, and one thread takes out what has expired.
//
// expect races: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WHEEL 8
#define CLIENTS 3

struct timer {
    int id;
    int rounds;
    void (*fire)(int id);
    struct timer *next;
};

static pthread_mutex_t wheel_lock = PTHREAD_MUTEX_INITIALIZER;
static struct timer *wheel[WHEEL];
static int now;
static int armed;
static int shutting_down;

static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static int fired[CLIENTS];

static void on_fire(int id)
{
    pthread_mutex_lock(&count_lock);
    fired[id]++;
    pthread_mutex_unlock(&count_lock);
}

static void arm(int id, int delay)
{
    struct timer *t = malloc(sizeof *t);
    if (t == NULL)
        abort();
    t->id = id;
    t->fire = on_fire;
    t->rounds = delay / WHEEL;
    pthread_mutex_lock(&wheel_lock);
    int slot = (now + delay) % WHEEL;
    t->next = wheel[slot];
    wheel[slot] = t;
    armed++;
    pthread_mutex_unlock(&wheel_lock);
}

static struct timer *tick(void)
{
    struct timer *expired = NULL;
    pthread_mutex_lock(&wheel_lock);
    now = (now + 1) % WHEEL;
    struct timer **link = &wheel[now];
    while (*link) {
        struct timer *t = *link;
        if (t->rounds > 0) {
            t->rounds--;
            link = &t->next;
            continue;
        }
        *link = t->next;
        t->next = expired;
        expired = t;
        armed--;
        assert(armed >= 0);
    }
    pthread_mutex_unlock(&wheel_lock);
    return expired;
}

static void *turn(void *arg)
{
    (void)arg;
    for (;;) {
        struct timer *t = tick();
        while (t) {
            struct timer *next = t->next;
            t->fire(t->id);
            free(t);
            t = next;
        }
        pthread_mutex_lock(&wheel_lock);
        int stop = shutting_down && armed == 0;
        pthread_mutex_unlock(&wheel_lock);
        if (stop)
            break;
        usleep(100);
    }
    return NULL;
}

static void *client(void *arg)
{
    int id = (int)(long)arg;
    for (int i = 1; i <= 10; i++)
        arm(id, i * 3);
    printf("client %d armed its timers\n", id);
    return NULL;
}

int main(void)
{
    pthread_t wheel_thread, clients[CLIENTS];
    pthread_create(&wheel_thread, NULL, turn, NULL);
    for (long i = 0; i < CLIENTS; i++)
        pthread_create(&clients[i], NULL, client, (void *)i);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    pthread_mutex_lock(&wheel_lock);
    shutting_down = 1;
    pthread_mutex_unlock(&wheel_lock);
    pthread_join(wheel_thread, NULL);
    for (int i = 0; i < CLIENTS; i++)
        printf("client %d: %d\n", i, fired[i]);
    return 0;
}
