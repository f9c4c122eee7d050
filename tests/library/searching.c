// Arrays are searched and extended.
//
// expect assertions: SAFE

#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <search.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void mentioned(void)
{
    (void)lfind;
    (void)lsearch;
}

static int compare(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

int main(void)
{
    int numbers[3] = { 4, 5, 0 }, key = 5, added = 6;
    size_t count = 2;
    assert(lfind(&key, numbers, &count, sizeof(int), compare) == &numbers[1]);
    assert(lsearch(&added, numbers, &count, sizeof(int), compare) == &numbers[2]);
    assert(count == 3 && numbers[2] == 6);
    (void)mentioned;
    return 0;
}
