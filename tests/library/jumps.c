// A place to jump back to: what happens before any jump is as without it, a jump is a limit.
//
// expect assertions: SAFE

#include <assert.h>
#include <setjmp.h>

static jmp_buf back;
static sigjmp_buf other;

int __sigsetjmp(jmp_buf environment, int mask);
int _setjmp(jmp_buf environment);

static int half(int n)
{
    if (n % 2)
        longjmp(back, 1);
    return n / 2;
}

int main(void)
{
    if (setjmp(back))
        return 1;
    assert(half(6) == 3);
    assert(sigsetjmp(other, 1) == 0 && _setjmp(back) == 0 && __sigsetjmp(back, 0) == 0);
    return 0;
}
