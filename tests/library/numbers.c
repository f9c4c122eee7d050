// Absolute values, divisions, conversions.
// __library_number
//
// expect assertions: SAFE

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <strings.h>

int main(void)
{
    div_t small = div(-7, 2);
    ldiv_t longer = ldiv(7, -2);
    assert(abs(-3) == 3 && abs(3) == 3 && labs(-4L) == 4 && llabs(-5LL) == 5);
    assert(small.quot == -3 && small.rem == -1);
    assert(longer.quot == -3 && longer.rem == 1);
    assert(atoi("  -42x") == -42 && atoi("x") == 0);
    assert(atoi(" \t\n+2147483647") == INT_MAX && atoi("-2147483648 ") == INT_MIN && atoi("") == 0);
    assert(atol("+17") == 17 && atoll("900") == 900 && atol("- 1") == 0);
    assert(atol("9223372036854775807") == LONG_MAX && atoll("-9223372036854775808") == LLONG_MIN);
    assert(__builtin_bswap16(0x1234) == 0x3412 && __builtin_bswap32(0x12345678) == 0x78563412);
    assert(__builtin_bswap64(0x0102030405060708) == 0x0807060504030201);
    assert(ffs(0) == 0 && ffs(12) == 3);
    assert(ffsl(0) == 0 && ffsl(1L << 40) == 41 && ffsll(-2LL) == 2);
    char *end;
    assert(strtol(" -42x", &end, 10) == -42 && *end == 'x');
    assert(strtoul("0x1f", NULL, 16) == 31 && strtoll("017", NULL, 0) == 15);
    assert(strtoull("zz", &end, 10) == 0 && *end == 'z');
    assert(strtol("99999999999999999999", NULL, 10) == LONG_MAX && errno == ERANGE);
    assert(strtoll("0x", &end, 0) == 0 && *end == 'x');
    assert(strtol("0xfg", &end, 0) == 15 && *end == 'g' && strtol("010", &end, 0) == 8 && !*end);
    assert(strtol("0", &end, 16) == 0 && !*end && strtol("-0Xa", NULL, 16) == -10);
    assert(strtol("Zz", NULL, 36) == 35 * 37 && strtol("+", &end, 10) == 0 && *end == '+');
    atof("1.5");
    return 0;
}
