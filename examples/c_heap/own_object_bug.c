// The bug: two threads get the same object. The correct program is own_object.c.
//
// expect assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct job {
    int number;
};

static void *work(void *argument)
{
    struct job *mine = argument;
    mine->number = 1;
    mine->number++;
    assert(mine->number == 2);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 10000; i++) {
        struct job *fresh = malloc(sizeof *fresh);
        pthread_create(&thread, NULL, work, fresh);
        pthread_create(&thread, NULL, work, fresh);
    }
    return 0;
}
