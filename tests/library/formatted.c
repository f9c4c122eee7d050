// What simple formats make is computed, as the native functions do.
//
// expect assertions: SAFE

#include <assert.h>
#include <stdio.h>
#include <string.h>

static int same(const char *one, const char *other)
{
    return strcmp(one, other) == 0;
}

int main(void)
{
    char key[16], little[5], wide[40];
    int less = -120;
    unsigned more = 4294967295u;

    assert(snprintf(key, sizeof key, "key%u", 7u) == 4);
    assert(same(key, "key7"));
    assert(snprintf(key, sizeof key, "%d%%%s|", less, "ab") == 8);
    assert(same(key, "-120%ab|"));
    assert(snprintf(little, sizeof little, "abcdefgh") == 8);
    assert(same(little, "abcd"));
    assert(snprintf(little, 1, "%d", 55) == 2);
    assert(same(little, ""));
    assert(snprintf(NULL, 0, "%d", 12345) == 5);
    assert(sprintf(wide, "%lx:%ld:%zu", 255UL, -9223372036854775807L - 1, sizeof less) == 25);
    assert(same(wide, "ff:-9223372036854775808:4"));
    assert(sprintf(wide, "%i %x", 0, more) == 10);
    assert(same(wide, "0 ffffffff"));
    return 0;
}
