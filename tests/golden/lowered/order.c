#include <pthread.h>
int x, y, list[4];
struct pair { int a, b; } pair;
int next(void) { return ++x; }
int sum(int a, int b) { return a + b; }

int main(void)
{
    int i = 1, *p = &i;
    i = next() + next();
    list[i & 3] = next();
    y = sum(x, next());
    int k[2] = { next(), next() };
    y += (*p)++ + k[1] + i;
    pair.a = pair.b + (pair.b = 2);
    i = i++ + 1;
    x = y = x > 1 ? next() : y;
    list[0]++, x += list[0] * list[1];
    return i && (x++ || y--);
}
