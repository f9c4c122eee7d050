#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
struct pair { int a, b; };
int calls;
int (*table[2])(int);

static int one(int n) { return n + 1; }
static int two(int n) { calls++; if (n > 3) return 3; return n + 2; }
int apply(int (*f)(int), int n) { return f ? f(n) : n; }
struct pair down(int n) { struct pair p = { n, 1 }; if (n > 0) p = down(n - 1); p.b += n; return p; }
int odd(int n);
int even(int n) { return n ? odd(n - 1) : 1; }
int odd(int n) { return n ? even(n - 1) : 0; }
int counted(void) { static int n = 3, all[2] = { 1 }; all[n & 1]++; return n++; }
void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
int largest(int count, ...)
{
    va_list list;
    va_start(list, count);
    int most = va_arg(list, int);
    for (int i = 1; i < count; i++) {
        int next = va_arg(list, int);
        if (next > most)
            most = next;
    }
    va_end(list);
    return most;
}
static void closed(int *p) { calls = *p; }
_Noreturn void leave(int n) { exit(n); }

int main(void)
{
    table[0] = one;
    table[1] = two;
    int a = apply(table[calls & 1], 4), b = 2;
    __attribute__((cleanup(closed))) int held = 5;
    swap(&a, &b);
    struct pair p = down(a & 3);
    if (even(p.b) || counted() == 9)
        leave(1);
    calls += largest(3, a, 7, (short)b) + (&one != table[0]);
    assert(calls > p.a);
    return abs(-a);
}
