// The bug: main numbers a record after its thread has started. The correct program is own_record.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE

#include <assert.h>
#include <pthread.h>

struct job {
    int id;
    int result;
};

static struct job jobs[10000];

static void *work(void *argument)
{
    struct job *mine = argument;
    mine->result = mine->id;
    mine->result = mine->result + 1;
    assert(mine->result == mine->id + 1);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 10000; i++) {
        pthread_create(&thread, NULL, work, &jobs[i]);
        jobs[i].id = i;
    }
    return 0;
}
