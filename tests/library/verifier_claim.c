// A claim that is false is an assertion failure, and the program goes on behind it.
//
// expect assertions: UNSAFE
// expect -D AVOID assertions: SAFE
// expect -D BEHIND memory: UNSAFE

void __threadwise_claim(int condition);

int main(void)
{
    int number = 2;
    int *nothing = 0;
#ifndef AVOID
    __threadwise_claim(number == 3);
#endif
    __threadwise_claim(number == 2);
#ifdef BEHIND
    *nothing = 1;
#endif
    return nothing != 0;
}
