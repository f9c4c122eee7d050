// A fresh object has the content of the old one, which is gone.
//
// expect assertions: SAFE
// expect -D BEHIND assertions: UNKNOWN
// expect -D SHRUNK assertions: UNKNOWN
// expect -D OLD assertions: UNKNOWN

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
    int *old = numbers;
    numbers = realloc(numbers, 3 * sizeof *numbers);
    assert(numbers && numbers[0] == 1 && numbers[1] == 2);
#ifdef BEHIND
    assert(numbers[2] == 2);
#endif
#ifdef OLD
    assert(old[0] == 1);
#endif
    (void)old;
    numbers[2] = 3;
    numbers = realloc(numbers, sizeof *numbers);
    assert(numbers[0] == 1);
#ifdef SHRUNK
    assert(numbers[1] == 2);
#endif
    return 0;
}
