// An assertion failure, if it is reached.
//
// expect assertions: UNSAFE
// expect -D AVOID assertions: SAFE

void __VERIFIER_error(void) { }

int main(void)
{
    int number = 2;
#ifndef AVOID
    __VERIFIER_error();
#endif
    (void)number;
    return 0;
}
