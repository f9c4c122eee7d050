// The configuration is read once, by whoever needs it first, and never changed.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

struct config {
    int port;
    int backlog;
    int *limits;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct config *config;

static void load(void)
{
    struct config *c = malloc(sizeof *c);
    if (!c)
        abort();
    c->port = 8080;
    c->backlog = 16;
    c->limits = calloc(3, sizeof *c->limits);
    if (!c->limits)
        abort();
    for (int i = 0; i < 3; i++)
        c->limits[i] = 10 * i;
    config = c;
}

static const struct config *get(void)
{
    pthread_once(&once, load);
    return config;
}

static void *listener(void *argument)
{
    const struct config *c = get();
    int sum = c->port + c->backlog;
    for (int i = 0; i < 3; i++)
        sum += c->limits[i];
    return (void *)(long)sum;
}

int main(void)
{
    pthread_t a, b;
    if (pthread_create(&a, NULL, listener, NULL) != 0)
        return 1;
    if (pthread_create(&b, NULL, listener, NULL) != 0)
        return 1;
    int port = get()->port;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return port == 8080 ? 0 : 1;
}
