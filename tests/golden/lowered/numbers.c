#include <assert.h>
#include <pthread.h>
#include <stdint.h>
int list[4], x;
long count;
float single = 0.5f;
pthread_t kept;

static double half(float f) { return f / 2; }
static int as_truth(int *p, pthread_t t) { return (_Bool)p + !t + (p ? 1 : 2); }

int main(void)
{
    int *p = &list[1], *q = p + 2;
    _Bool b = p;
    b = 0.5;
    intptr_t bits = (intptr_t)p;
    int *again = (int *)bits;
    int same = (uintptr_t)p == (uintptr_t)q, lower = (uintptr_t)p < (uintptr_t)q, null = (long)p == 0;
    p -= count;
    p = q - 1;
    same += q - p + (p < q) + (again >= p) + (&list[3] - list);
    void *v = (void *)(long)x;
    char c = 300, d = (char)-1.5;
    unsigned u = -1, m = 3.9;
    long l = 1e10, n = 0xffffffffu + 1;
    double real = 3, other = 1.0 / 4 + 2 * 0.5 - 0.25;
    x = other > 0.9 && other == 1.0 && half(single) < real;
    x += (int)single + (single != 0) + (int)real;
    kept = pthread_self();
    if (kept == pthread_self() && pthread_equal(kept, 0))
        x = as_truth(p, kept);
    u >>= x & 31;
    m = u / 3 % 7 * 2;
    l = l > u ? -l : ~n;
    x = INT32_MIN / (x | 1) + INT32_MAX % 3 - (c << 2 >> 1);
    x = (short)x * (unsigned short)l & 0xff0f | 7u ^ 2;
    assert(!v || d + b + null + lower + same != 99);
    return m && u || !l;
}
