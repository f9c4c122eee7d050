// An assertion failure, if it is reached.
//
// expect assertions: UNSAFE
// expect -D AVOID assertions: SAFE

void __assert_rtn(const char *function, const char *file, int line, const char *text);

int main(void)
{
    int number = 2;
#ifndef AVOID
    __assert_rtn("main", "f.c", 1, "x");
#endif
    (void)number;
    return 0;
}
