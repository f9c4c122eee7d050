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
    ldiv_t large = ldiv(7, -2);
    assert(abs(-3) == 3 && abs(3) == 3 && labs(-4L) == 4 && llabs(-5LL) == 5);
    assert(small.quot == -3 && small.rem == -1);
    assert(large.quot == -3 && large.rem == 1);
    assert(atoi("  -42x") == -42 && atoi("x") == 0);
    assert(atol("+17") == 17 && atoll("900") == 900);
    assert(ffs(0) == 0 && ffs(12) == 3);
    assert(ffsl(0) == 0 && ffsl(1L << 40) == 41 && ffsll(-2LL) == 2);
    char *end;
    assert(strtol(" -42x", &end, 10) == -42 && *end == 'x');
    assert(strtoul("0x1f", NULL, 16) == 31 && strtoll("017", NULL, 0) == 15);
    assert(strtoull("zz", &end, 10) == 0 && *end == 'z');
    assert(strtol("99999999999999999999", NULL, 10) == LONG_MAX && errno == ERANGE);
    assert(strtoll("0x", &end, 0) == 0 && *end == 'x');
    atof("1.5");
    return 0;
}
