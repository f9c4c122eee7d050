#include <assert.h>
#include <stdlib.h>
#include <string.h>
struct inner { char tag; long values[2]; };
struct outer { struct inner in; unsigned low : 3; int high : 5; struct outer *next; struct inner more[2]; };
union either { int number; char text[4]; struct { short a, b; } pair; };
static struct outer first = { { 'a', { [1] = 7 } }, 9, -1, &first, { [1] = { .tag = 'z' } } };
union either mixed = { .pair = { 1, 2 } };
int grid[2][3] = { { 1 }, { 4, 5 } };
const char *words[] = { "one", "two" };
int *into = &grid[1][2];

struct inner made(long a)
{
    struct inner r = { .values = { a, a + 1 } };
    return r;
}

long total(struct inner in)
{
    in.tag++;
    return in.values[0] + in.tag;
}

int main(int argc, char **argv)
{
    struct outer copy = first, *p = &copy;
    p->in = made(argc);
    p->low += argc;
    p->next->high = p->low;
    copy.more[argc & 1].values[1] = total(p->in);
    mixed.number = 3;
    mixed.pair.b = mixed.pair.a;
    *into = grid[argc & 1][2] + *(grid[0] + 1);
    struct outer *fresh = malloc(sizeof *fresh);
    int *many = calloc(4, sizeof(int));
    if (!fresh || !many)
        return 1;
    memcpy(fresh, p, sizeof *fresh);
    memset(&fresh->in, 0, sizeof fresh->in);
    many = realloc(many, 8 * sizeof(int));
    many[argc] = (int)(into - &grid[0][0]) + words[1][0];
    long *inside = &fresh->more[1].values[0];
    *inside++ = (struct inner){ 'c', { 4 } }.values[0];
    assert(*inside == copy.in.values[1] && p->next == &first);
    int open[argc + 1];
    open[argc] = 2;
    free(many);
    free(fresh);
    return open[argc] + (p < &copy + 1);
}
