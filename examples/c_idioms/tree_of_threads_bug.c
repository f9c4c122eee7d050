// A sum over an array: a thread starts two others for the halves of its range, and joins them.
// Wrong here: the right half is added up before its thread has ended.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

#define LENGTH 8

struct range {
    int from, to;
    long sum;
};

static int data[LENGTH];

static void *sum(void *argument)
{
    struct range *r = argument;
    if (r->to - r->from <= 2) {
        r->sum = 0;
        for (int i = r->from; i < r->to; i++)
            r->sum += data[i];
        return NULL;
    }
    int middle = r->from + (r->to - r->from) / 2;
    struct range left = {r->from, middle, 0};
    struct range right = {middle, r->to, 0};
    pthread_t a, b;
    if (pthread_create(&a, NULL, sum, &left) != 0)
        abort();
    if (pthread_create(&b, NULL, sum, &right) != 0)
        abort();
    pthread_join(a, NULL);
    r->sum = left.sum + right.sum;
    pthread_join(b, NULL);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < LENGTH; i++)
        data[i] = i;
    struct range all = {0, LENGTH, 0};
    pthread_t root;
    if (pthread_create(&root, NULL, sum, &all) != 0)
        return 1;
    pthread_join(root, NULL);
    return all.sum == 28 ? 0 : 1;
}
