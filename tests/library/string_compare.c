// Lengths and comparisons of strings.
//
// expect assertions: SAFE

#define _GNU_SOURCE
#include <assert.h>
#include <string.h>
#include <strings.h>

int main(void)
{
    assert(strlen("") == 0 && strlen("abc") == 3);
    assert(strnlen("abc", 2) == 2 && strnlen("abc", 9) == 3);
    assert(strcmp("ab", "ab") == 0 && strcmp("ab", "abc") < 0 && strcmp("b", "a") > 0);
    assert(strcmp("\377", "a") > 0 && strcoll("a", "b") < 0);
    assert(strncmp("abc", "abd", 2) == 0 && strncmp("abc", "abd", 3) < 0);
    assert(strncmp("a", "a", 5) == 0 && strncmp("a", "b", 0) == 0 && strncmp("\377", "a", 1) > 0);
    assert(strcasecmp("aBc", "AbC") == 0 && strcasecmp("a", "B") < 0);
    assert(strncasecmp("aBx", "AbC", 2) == 0 && strncasecmp("aBx", "AbC", 3) > 0);
    return 0;
}
