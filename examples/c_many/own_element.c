// Each of ten thousand threads is given a pointer to an element of an array.
//
// expect assertions: SAFE
// expect races: SAFE

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
        pthread_create(&thread, NULL, work, &count[i]);
    return 0;
}
