// Every thread counts in its own slot, whose index it was given; the parent adds up in the end.
// Wrong here: two threads share a slot.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

#define THREADS 3

struct statistics {
    long packets;
    long errors;
};

static struct statistics statistics[THREADS];

static void *receive(void *argument)
{
    long id = (long)argument / 2;
    for (int i = 0; i < 4; i++) {
        statistics[id].packets++;
        if (i % 3 == 0)
            statistics[id].errors++;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    long packets = 0, errors = 0;
    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, receive, (void *)i) != 0)
            abort();
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        packets += statistics[i].packets;
        errors += statistics[i].errors;
    }
    return packets > errors ? 0 : 1;
}
