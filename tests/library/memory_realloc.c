// Growing nothing makes a fresh object; growing or shrinking an object is not modelled.
//
// expect assertions: SAFE
// expect -D GROW assertions: UNKNOWN

#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *numbers = realloc(NULL, 2 * sizeof *numbers);
    int *others = reallocarray(NULL, 2, sizeof *others);
    if (!numbers || !others)
        return 1;
    numbers[0] = 1;
    numbers[1] = 2;
    others[1] = 3;
    assert(numbers[0] == 1 && numbers[1] == 2 && others[1] == 3);
#ifdef GROW
    numbers = realloc(numbers, 3 * sizeof *numbers);
    assert(numbers && numbers[1] == 2);
#endif
    return 0;
}
