// What is read is any character, or the end.
//
// expect assertions: SAFE
// expect -D NEVER assertions: UNSAFE
// expect -D SOME assertions: UNSAFE

#include <assert.h>
#include <stdio.h>

int main(void)
{
    int one = getchar();
    assert(one == EOF || (one >= 0 && one < 256));
    getc(stdin);
    fgetc(stdin);
#ifdef NEVER
    assert(one != EOF);
#endif
#ifdef SOME
    assert(one != 'q');
#endif
    return 0;
}
