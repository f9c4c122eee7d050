// The bug: two neighbours are given the same element. The correct program is own_element.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE

#include <assert.h>
#include <pthread.h>

static int count[10000];

static void *work(void *argument)
{
    int *mine = argument;
    *mine = 3;
    *mine = *mine + 1;
    assert(*mine == 4);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 10000; i++)
        pthread_create(&thread, NULL, work, &count[i / 2]);
    return 0;
}
