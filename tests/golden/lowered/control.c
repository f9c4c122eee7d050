#include <assert.h>
int x, y;

int find(int key)
{
    for (int i = 0; i < 4; i++) {
        if (i == key)
            continue;
        if (i * i > key)
            return i;
    }
    return -1;
}

void jumps(int n)
{
again:
    switch (n) {
    case 0:
        x++;
    case 1:
        n--;
        break;
    case 5 ... 7:
        goto out;
    default:
        while (1) {
            if (n-- < 3)
                break;
            do
                y += n;
            while (--n > 4);
        }
    }
    if (n > 0)
        goto again;
out:
    x = ({ int t = n; t *= 2; t + y; });
}

int main(void)
{
    if (1)
        jumps(3);
    else
        jumps(4);
    while (0)
        y = 9;
    for (;;) {
        if (x > 5 || (x < -5 && y))
            break;
        x += find(x) ? 1 : 2;
    }
    x ? y++ : (void)0;
    {
        int x = y;
        y = x + 1;
    }
    assert(x != y);
    return x == 3 ? 0 : x;
}
