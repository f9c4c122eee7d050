// A pool of connections: a semaphore counts those that are free, a mutex guards the list. Clients borrow a connection,
// wait at most a while for it, and give it back; a keeper closes what has not been used for some time.

#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CONNECTIONS 4
#define CLIENTS 10
#define REQUESTS 50
#define PATIENCE_MS 200
#define KEEPER_MS 5

enum status { CLOSED, OPEN };

struct connection {
    int number;
    enum status status;
    unsigned long requests;
    unsigned age; /* rounds of the keeper since it was last used */
    char reply[64];
    struct connection *next; /* in the list of free ones */
};

struct pool {
    sem_t free_count;
    pthread_mutex_t lock; /* for what follows */
    struct connection *free;
    unsigned long opened;
    unsigned long closed;
    unsigned borrowed;
    struct connection all[CONNECTIONS];
};

struct client {
    pthread_t thread;
    unsigned number;
    unsigned long answers;
    unsigned long given_up;
    struct pool *pool;
};

struct keeper {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stopping;
    struct pool *pool;
};

static void deadline(struct timespec *time, long milliseconds)
{
    clock_gettime(CLOCK_REALTIME, time);
    time->tv_sec += milliseconds / 1000;
    time->tv_nsec += milliseconds % 1000 * 1000000L;
    if (time->tv_nsec >= 1000000000L) {
        time->tv_sec++;
        time->tv_nsec -= 1000000000L;
    }
}

static void pool_init(struct pool *pool)
{
    memset(pool, 0, sizeof *pool);
    if (sem_init(&pool->free_count, 0, CONNECTIONS) != 0) {
        perror("sem_init");
        exit(EXIT_FAILURE);
    }
    pthread_mutex_init(&pool->lock, NULL);
    for (int i = 0; i < CONNECTIONS; i++) {
        pool->all[i].number = i;
        pool->all[i].status = CLOSED;
        pool->all[i].next = pool->free;
        pool->free = &pool->all[i];
    }
}

static void pool_destroy(struct pool *pool)
{
    assert(pool->borrowed == 0);
    pthread_mutex_destroy(&pool->lock);
    sem_destroy(&pool->free_count);
}

/* A connection that nobody else has, or NULL if none became free in time. */
static struct connection *pool_borrow(struct pool *pool)
{
    struct timespec end;

    deadline(&end, PATIENCE_MS);
    while (sem_timedwait(&pool->free_count, &end) != 0) {
        if (errno == EINTR)
            continue;
        return NULL;
    }
    pthread_mutex_lock(&pool->lock);
    struct connection *connection = pool->free;
    assert(connection != NULL);
    pool->free = connection->next;
    pool->borrowed++;
    if (connection->status == CLOSED) {
        connection->status = OPEN;
        pool->opened++;
    }
    connection->age = 0;
    pthread_mutex_unlock(&pool->lock);
    connection->next = NULL;
    return connection;
}

static void pool_give_back(struct pool *pool, struct connection *connection, bool broken)
{
    pthread_mutex_lock(&pool->lock);
    if (broken) {
        connection->status = CLOSED;
        pool->closed++;
    }
    connection->next = pool->free;
    pool->free = connection;
    pool->borrowed--;
    pthread_mutex_unlock(&pool->lock);
    sem_post(&pool->free_count);
}

/* Closes the free connections that were not used for two rounds. */
static void pool_tidy(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    for (struct connection *at = pool->free; at != NULL; at = at->next) {
        if (at->status == OPEN && ++at->age > 2) {
            at->status = CLOSED;
            pool->closed++;
        }
    }
    pthread_mutex_unlock(&pool->lock);
}

static void *keeper_main(void *argument)
{
    struct keeper *keeper = argument;

    pthread_mutex_lock(&keeper->lock);
    while (!keeper->stopping) {
        struct timespec end;
        deadline(&end, KEEPER_MS);
        int error = pthread_cond_timedwait(&keeper->wake, &keeper->lock, &end);
        if (error == ETIMEDOUT && !keeper->stopping) {
            pthread_mutex_unlock(&keeper->lock);
            pool_tidy(keeper->pool);
            pthread_mutex_lock(&keeper->lock);
        }
    }
    pthread_mutex_unlock(&keeper->lock);
    return NULL;
}

static void keeper_start(struct keeper *keeper, struct pool *pool)
{
    pthread_mutex_init(&keeper->lock, NULL);
    pthread_cond_init(&keeper->wake, NULL);
    keeper->stopping = false;
    keeper->pool = pool;
    if (pthread_create(&keeper->thread, NULL, keeper_main, keeper) != 0)
        exit(EXIT_FAILURE);
}

static void keeper_stop(struct keeper *keeper)
{
    pthread_mutex_lock(&keeper->lock);
    keeper->stopping = true;
    pthread_cond_signal(&keeper->wake);
    pthread_mutex_unlock(&keeper->lock);
    pthread_join(keeper->thread, NULL);
    pthread_cond_destroy(&keeper->wake);
    pthread_mutex_destroy(&keeper->lock);
}

/* What stands for the other side: it answers, or the connection breaks. Nobody else uses the connection now. */
static bool request(struct connection *connection, unsigned client, unsigned number)
{
    struct timespec work = {.tv_nsec = 100000};

    nanosleep(&work, NULL);
    connection->requests++;
    snprintf(connection->reply, sizeof connection->reply, "answer %u to client %u", number, client);
    return connection->requests % 17 != 0;
}

static void *client_main(void *argument)
{
    struct client *client = argument;

    for (unsigned i = 0; i < REQUESTS; i++) {
        struct connection *connection = pool_borrow(client->pool);
        if (connection == NULL) {
            client->given_up++;
            continue;
        }
        bool answered = request(connection, client->number, i);
        if (answered && strncmp(connection->reply, "answer", 6) == 0)
            client->answers++;
        pool_give_back(client->pool, connection, !answered);
    }
    return NULL;
}

int main(void)
{
    static struct pool pool;
    static struct keeper keeper;
    static struct client clients[CLIENTS];
    unsigned long answers = 0, given_up = 0;

    pool_init(&pool);
    keeper_start(&keeper, &pool);
    for (unsigned i = 0; i < CLIENTS; i++) {
        clients[i].number = i;
        clients[i].pool = &pool;
        int error = pthread_create(&clients[i].thread, NULL, client_main, &clients[i]);
        if (error != 0) {
            fprintf(stderr, "connections: %s\n", strerror(error));
            return EXIT_FAILURE;
        }
    }
    for (unsigned i = 0; i < CLIENTS; i++) {
        pthread_join(clients[i].thread, NULL);
        answers += clients[i].answers;
        given_up += clients[i].given_up;
    }
    keeper_stop(&keeper);
    printf("%lu answers, %lu given up, %lu opened, %lu closed\n", answers, given_up, pool.opened, pool.closed);
    pool_destroy(&pool);
    return EXIT_SUCCESS;
}
