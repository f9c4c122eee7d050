// An assertion failure, if it is reached.
//
// expect assertions: UNSAFE
// expect -D AVOID assertions: SAFE

void __assert(const char *text, const char *file, int line);

int main(void)
{
    int number = 2;
#ifndef AVOID
    __assert("x", "f.c", 1);
#endif
    (void)number;
    return 0;
}
