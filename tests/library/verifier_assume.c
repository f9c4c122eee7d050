// What was assumed holds; other executions end, and their end is no deadlock.
//
// expect assertions: SAFE
// expect deadlocks: SAFE
// expect -D ALL assertions: UNSAFE

#include <assert.h>

extern void __VERIFIER_assume(int condition);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    unsigned char number = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(number > 250);
    assert(number >= 251);
#ifdef ALL
    assert(number != 253);
#endif
    return 0;
}
