// Threads are started and joined by functions of their own, as services are.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>

struct service {
    pthread_t thread;
    int running;
    int ticks;
    int limit;
};

static void *run(void *argument)
{
    struct service *self = argument;
    while (self->ticks < self->limit)
        self->ticks++;
    return NULL;
}

static int service_start(struct service *s, int limit)
{
    s->ticks = 0;
    s->limit = limit;
    if (pthread_create(&s->thread, NULL, run, s) != 0)
        return -1;
    s->running = 1;
    return 0;
}

static void service_stop(struct service *s)
{
    if (s->running) {
        pthread_join(s->thread, NULL);
        s->running = 0;
    }
}

static struct service timer, cleaner;

int main(void)
{
    if (service_start(&timer, 3) != 0)
        return 1;
    if (service_start(&cleaner, 2) != 0) {
        service_stop(&timer);
        return 1;
    }
    service_stop(&cleaner);
    service_stop(&timer);
    printf("%d\n", timer.ticks + cleaner.ticks);
    return 0;
}
