// What was there stays there when an object grows or shrinks.
//
// expect assertions: SAFE

#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *numbers = realloc(NULL, 2 * sizeof *numbers);
    if (!numbers)
        return 1;
    numbers[0] = 1;
    numbers[1] = 2;
    int *more = realloc(numbers, 3 * sizeof *more);
    if (!more)
        return 1;
    assert(more[0] == 1 && more[1] == 2);
    more[2] = 3;
    int *less = reallocarray(more, 1, sizeof *less);
    if (!less)
        return 1;
    assert(less[0] == 1);
    free(less);
    return 0;
}
