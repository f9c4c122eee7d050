// Records from the heap, one for each thread, whose addresses main keeps in an array; with BUG two threads get the same one.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

#define THREADS 4

struct record {
    int input;
    int output;
};

static void *work(void *argument)
{
    struct record *mine = argument;
    for (int i = 0; i < 10; i++)
        mine->output += mine->input;
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    struct record *record[THREADS];
    for (int i = 0; i < THREADS; i++) {
        record[i] = malloc(sizeof *record[i]);
        if (!record[i])
            exit(1);
        record[i]->input = i;
        record[i]->output = 0;
    }
#ifdef BUG
    record[2] = record[1];
#endif
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, record[i]);
    int sum = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        sum += record[i]->output;
    }
    return sum;
}
