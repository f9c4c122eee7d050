// A request lies on the stack of its client, who waits for its completion and then owns it again.
//
// expect races: SAFE

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct request {
    int operand;
    int result;
    bool done;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct request *pending;

static void *server(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        while (!pending)
            pthread_cond_wait(&changed, &lock);
        struct request *request = pending;
        pending = NULL;
        pthread_mutex_unlock(&lock);
        request->result = 2 * request->operand;
        pthread_mutex_lock(&lock);
        request->done = true;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static int ask(int operand)
{
    struct request request = {operand, 0, false};
    pthread_mutex_lock(&lock);
    pending = &request;
    pthread_cond_broadcast(&changed);
    while (!request.done)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return request.result;
}

int main(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, server, NULL) != 0)
        abort();
    int sum = ask(1) + ask(2);
    pthread_join(thread, NULL);
    return sum == 6 ? 0 : 1;
}
