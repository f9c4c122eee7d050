// An assertion failure, if it is reached.
//
// expect assertions: UNSAFE
// expect -D AVOID assertions: SAFE

void __VERIFIER_assert(int condition);

int main(void)
{
    int number = 2;
#ifndef AVOID
    __VERIFIER_assert(number == 3);
#endif
    __VERIFIER_assert(number == 2);
    return 0;
}
