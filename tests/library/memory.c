// Fresh memory: different objects, zero or not, free when they were freed.
//
// expect assertions: SAFE
// expect -D TWICE assertions: UNKNOWN
// expect -D AFTER assertions: UNKNOWN

#include <assert.h>
#include <malloc.h>
#include <stdlib.h>

int main(void)
{
    int *one = malloc(sizeof *one), *two = calloc(3, sizeof *two);
    int *three = aligned_alloc(16, sizeof *three), *four = memalign(16, sizeof *four);
    int *five = valloc(sizeof *five);
    void *six = NULL;
    if (!one || !two || !three || !four || !five)
        return 1;
    assert(one != two && one != three && three != four && four != five);
    assert(two[0] == 0 && two[1] == 0 && two[2] == 0);
    *one = 1;
    two[2] = 2;
    *three = 3;
    assert(*one == 1 && two[2] == 2 && *three == 3);
    if (posix_memalign(&six, 8, sizeof(int)) == 0)
        assert(six != NULL);
    free(one);
    free(NULL);
#ifdef TWICE
    free(one);
#endif
#ifdef AFTER
    *one = 2;
#endif
    assert(two[1] == 0);
    free(two);
    return 0;
}
