// An assertion failure, if it is reached.
//
// expect assertions: UNSAFE
// expect -D AVOID assertions: SAFE

void reach_error(void) { }

int main(void)
{
    int number = 2;
#ifndef AVOID
    reach_error();
#endif
    (void)number;
    return 0;
}
