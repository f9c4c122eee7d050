// Two threads get an object each, in two statements; the first thread reads the results after joining.
// Wrong here: the second thread gets the object of the first.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

struct part {
    int first;
    int last;
    long sum;
};

static struct part *part_new(int first, int last)
{
    struct part *part = malloc(sizeof *part);
    if (!part)
        abort();
    part->first = first;
    part->last = last;
    part->sum = 0;
    return part;
}

static void *add(void *argument)
{
    struct part *part = argument;
    for (int i = part->first; i < part->last; i++)
        part->sum += i;
    return NULL;
}

int main(void)
{
    pthread_t left, right;
    struct part *low = part_new(0, 2);
    struct part *high = part_new(2, 4);
    if (pthread_create(&left, NULL, add, low) != 0)
        abort();
    if (pthread_create(&right, NULL, add, low) != 0)
        abort();
    pthread_join(left, NULL);
    pthread_join(right, NULL);
    long sum = low->sum + high->sum;
    free(low);
    free(high);
    return sum == 6 ? 0 : 1;
}
