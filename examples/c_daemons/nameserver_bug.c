// The name server of nameserver.c, whose requests are back before they are answered.
//
// expect races: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLIENTS 4
#define SERVERS 2
#define ROUNDS 8

struct request {
    int key;
    int result;
    int done;
    struct request *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static struct request *head;
static struct request **tail = &head;
static int pending;
static int stopping;
static unsigned long served;

static int resolve(int key)
{
    int h = 17;
    for (int i = 0; i < 5; i++)
        h = (h * 31 + key) & 0xffff;
    return h;
}

static void enqueue(struct request *r)
{
    r->next = NULL;
    *tail = r;
    tail = &r->next;
    pending++;
}

static struct request *dequeue(void)
{
    struct request *r = head;
    assert(pending > 0);
    head = r->next;
    if (head == NULL)
        tail = &head;
    pending--;
    return r;
}

static void *server(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (head == NULL && !stopping)
            pthread_cond_wait(&work, &lock);
        if (head == NULL)
            break;
        struct request *r = dequeue();
        r->done = 1;
        pthread_cond_broadcast(&answered);
        pthread_mutex_unlock(&lock);
        r->result = resolve(r->key);
        pthread_mutex_lock(&lock);
        served++;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static int ask(int key)
{
    struct request *r = malloc(sizeof *r);
    int answer;
    if (r == NULL)
        return -1;
    memset(r, 0, sizeof *r);
    r->key = key;
    pthread_mutex_lock(&lock);
    enqueue(r);
    pthread_cond_signal(&work);
    while (!r->done)
        pthread_cond_wait(&answered, &lock);
    pthread_mutex_unlock(&lock);
    answer = r->result;
    free(r);
    return answer;
}

static void *client(void *arg)
{
    int id = (int)(long)arg;
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++)
        sum += ask(id * 100 + i);
    printf("client %d: %ld\n", id, sum);
    return NULL;
}

int main(void)
{
    pthread_t servers[SERVERS], clients[CLIENTS];
    for (int i = 0; i < SERVERS; i++)
        pthread_create(&servers[i], NULL, server, NULL);
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&clients[i], NULL, client, (void *)(long)i);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    pthread_mutex_lock(&lock);
    stopping = 1;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < SERVERS; i++)
        pthread_join(servers[i], NULL);
    printf("served %lu\n", served);
    return 0;
}
