// What is read is any character, or the end.
//
// expect assertions: SAFE
// expect -D NUMBER assertions: UNSAFE
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
    int number = 7, other = 8;
    int count = scanf("%d%d", &number, &other);
    assert(count >= -1 && count <= 2);
    assert(count > 0 || number == 7);
    assert(count > 1 || other == 8);
    char text[2] = "x";
    if (!fgets(text, 1, stdin))
        assert(text[0] == 'x');
#ifdef NUMBER
    assert(number != 9);
#endif
#ifdef OTHERS
    fscanf(stdin, "%d", &number);
    sscanf("1", "%d", &number);
    fread(&number, sizeof number, 1, stdin);
#endif
#ifdef NEVER
    assert(one != EOF);
#endif
#ifdef SOME
    assert(one != 'q');
#endif
    return 0;
}
