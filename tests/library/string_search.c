// Searching in strings.
//
// expect assertions: SAFE

#include <assert.h>
#include <string.h>

int main(void)
{
    const char *text = "banana";
    assert(strchr(text, 'n') == text + 2 && strchr(text, 'x') == NULL);
    assert(strchr(text, 0) == text + 6);
    assert(strrchr(text, 'a') == text + 5 && strrchr(text, 'x') == NULL);
    assert(strstr(text, "nan") == text + 2 && strstr(text, "nab") == NULL);
    assert(strstr(text, "") == text && strstr(text, "bananas") == NULL && strstr("", "a") == NULL);
    assert(strstr("aab", "ab") != NULL && strstr("", "") != NULL);
    assert(memchr(text, 'n', 2) == NULL && memchr(text, 'n', 3) == text + 2);
    assert(strspn(text, "ab") == 2 && strcspn(text, "n") == 2 && strcspn(text, "x") == 6);
    assert(strpbrk(text, "xn") == text + 2 && strpbrk(text, "x") == NULL);
    return 0;
}
