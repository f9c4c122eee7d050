#include <pthread.h>
#include <stdlib.h>
int *kept;
int total;

static void *late(void *p) { total += *(int *)p; return p; }

static int *inner(int n)
{
    int local = n, other[2] = { n };
    kept = &local;
    for (int i = 0; i < n; i++) {
        int each = i;
        kept = &each;
        if (each > 2)
            break;
        other[each & 1] += *kept;
    }
    if (n > 9)
        return kept;
    total = other[1];
    return &total;
}

int main(void)
{
    pthread_t t;
    int mine = 1;
    pthread_create(&t, 0, late, &mine);
    {
        int block = 2;
        kept = &block;
    }
    char *heap = malloc(3), *more = heap + 1;
    free(heap);
    total = *inner(mine) + (more != 0);
    return *kept;
}
