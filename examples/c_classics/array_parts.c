// An array filled by parts of a size that is read; main checks the whole; with BUG the parts overlap by one.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#define THREADS 2
static int *data;
static int size;

struct part {
    int from, to;
};

static void *fill(void *argument)
{
    struct part *p = argument;
    for (int i = p->from; i < p->to; i++)
        data[i] = i;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    size = __VERIFIER_nondet_int();
    if (size < 2 || size > 100)
        return 0;
    data = calloc(size, sizeof *data);
    if (!data)
        return 0;
    int middle = size / 2;
    struct part left = {0, middle}, right = {middle, size};
#ifdef BUG
    left.to = middle + 1;
#endif
    pthread_create(&a, NULL, fill, &left);
    pthread_create(&b, NULL, fill, &right);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return data[0];
}
