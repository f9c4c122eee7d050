// Random numbers: any number that is not negative; those of rand_r are computed.
//
// expect -D LIMITS assertions: UNKNOWN
// expect assertions: SAFE

#include <assert.h>
#include <stdlib.h>

int main(void)
{
    unsigned int seed = 1;
    srand(1);
    srandom(1);
    srand48(1);
    rand();
    random();
    drand48();
    lrand48();
    assert(rand_r(&seed) == 476707713 && rand_r(&seed) == 1186278907 && seed == 2516284547u);
#ifdef LIMITS
    int one = rand();
    long two = random(), three = lrand48();
    assert(one >= 0 && two >= 0 && three >= 0);
#endif
    return 0;
}
