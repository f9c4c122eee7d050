#include <assert.h>
#include <stdbool.h>
unsigned char narrow = 250;
signed char least = -128;
unsigned word;
long wide = 1L << 40;
bool flag;
double real = 1.5;
int list[3];

int choose(int a, unsigned b, long c)
{
    int r = a > 0 && b > 2u || !c;
    r += (a, b) ? a : c;
    r = a ?: 7;
    return r * 2 - (a < 0 ? -a : a % 3) / (b | 1);
}

int main(void)
{
    narrow += 10;
    least--;
    word = ~0u >> 28 | narrow << 3;
    wide = -wide + (int)word * sizeof(long) - (unsigned char)least;
    flag = wide;
    flag |= 4;
    int n = narrow++ + 2;
    n <<= narrow & 7;
    n /= list[0];
    n = list[n] = list[1] = n ^ 5;
    int both = (n == 3) + (n >= 2) + (n != word) + (n <= -1) + !flag + !!n;
    real = real * 2.0 + n;
    assert(real > 0.5);
    n = (int)real;
    assert(choose(both, 3, -1) != 0 * n);
    return -~n;
}
