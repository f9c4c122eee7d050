// A reader and a writer of a pipe are started one after the other, each with a record that it frees itself.
// Wrong here: the first thread prepares the record of the writer after starting it.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

struct task {
    int descriptor;
    int rounds;
    int done;
};

static void *serve(void *argument)
{
    struct task *task = argument;
    while (task->done < task->rounds)
        task->done++;
    free(task);
    return NULL;
}

int main(void)
{
    pthread_t reader, writer;
    struct task *input = malloc(sizeof *input);
    if (!input)
        return 1;
    input->descriptor = 0;
    input->rounds = 2;
    input->done = 0;
    if (pthread_create(&reader, NULL, serve, input) != 0)
        return 1;
    struct task *output = malloc(sizeof *output);
    if (!output)
        return 1;
    output->descriptor = 1;
    output->done = 0;
    if (pthread_create(&writer, NULL, serve, output) != 0)
        return 1;
    output->rounds = 1;
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    return 0;
}
