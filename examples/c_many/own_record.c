// Each of ten thousand threads is given a record of an array, with its number in it.
//
// expect assertions: SAFE
// expect races: SAFE

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
        jobs[i].id = i;
        pthread_create(&thread, NULL, work, &jobs[i]);
    }
    return 0;
}
