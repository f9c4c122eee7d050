// An assertion failure, if it is reached.
//
// expect assertions: UNSAFE
// expect -D AVOID assertions: SAFE

void __assert_fail(const char *text, const char *file, unsigned int line, const char *function);

int main(void)
{
    int number = 2;
#ifndef AVOID
    __assert_fail("x", "f.c", 1, "main");
#endif
    (void)number;
    return 0;
}
