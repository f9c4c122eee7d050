// Copies of strings.
//
// expect assertions: SAFE

#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char text[8], *copy, *part;
    assert(strcpy(text, "ab") == text && text[1] == 'b' && text[2] == 0);
    assert(stpcpy(text, "abc") == text + 3 && text[3] == 0);
    assert(strcat(text, "de") == text && strcmp(text, "abcde") == 0);
    assert(strncat(text, "xyz", 1) == text && strcmp(text, "abcdex") == 0);
    text[5] = '!';
    assert(strncpy(text, "q", 3) == text && text[0] == 'q' && text[1] == 0 && text[2] == 0);
    assert(text[3] == 'd' && text[5] == '!');
    copy = strdup("hey");
    part = strndup("hello", 2);
    if (copy && part)
        assert(strcmp(copy, "hey") == 0 && strcmp(part, "he") == 0);
    return 0;
}
