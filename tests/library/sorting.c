// Sorting and searching call functions of the program.
//
// expect assertions: SAFE
// expect -D WRONG assertions: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

void qsort(void *base, size_t count, size_t size, int (*ordering)(const void *, const void *));
void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*ordering)(const void *, const void *));
void qsort_r(void *base, size_t count, size_t size, int (*ordering)(const void *, const void *, void *), void *argument);

struct pair {
    int key, value;
};

static struct pair pairs[3] = { { 3, 30 }, { 1, 10 }, { 2, 20 } };

static int by_key(const void *left, const void *right)
{
    return ((const struct pair *)left)->key - ((const struct pair *)right)->key;
}

static int by_key_r(const void *left, const void *right, void *sign)
{
    return *(int *)sign * by_key(left, right);
}

int main(void)
{
    struct pair wanted = { 2, 0 };
    int sign = -1;
    qsort(pairs, 3, sizeof(struct pair), by_key);
    assert(pairs[0].value == 10 && pairs[1].value == 20 && pairs[2].value == 30);
    struct pair *found = bsearch(&wanted, pairs, 3, sizeof(struct pair), by_key);
    assert(found == &pairs[1]);
    wanted.key = 4;
    assert(bsearch(&wanted, pairs, 3, sizeof(struct pair), by_key) == NULL);
    qsort_r(pairs, 3, sizeof(struct pair), by_key_r, &sign);
#ifdef WRONG
    assert(pairs[0].key == 1);
#else
    assert(pairs[0].key == 3);
#endif
    return 0;
}
