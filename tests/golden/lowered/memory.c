#include <alloca.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct pair { int a; char b[3]; };
struct pair many[3], few[2];
_Atomic struct { int a, b; } both;
int numbers[40], n;
unsigned char raw[16];
char text[20];
pid_t group[2];

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static char *made(int size)
{
    char *p = alloca(size);
    p[0] = 1;
    return p;
}

int main(int argc, char **argv)
{
    memcpy(many, few, 2 * sizeof *many);
    memcpy(numbers, numbers + 20, n * sizeof(int));
    memmove(many + 1, many, sizeof few);
    memmove(text + 1, text, n);
    memmove(numbers + 1, numbers, n * sizeof *numbers);
    memset(many, 0, sizeof many);
    memset(numbers, -1, sizeof numbers);
    memset(raw, n, 4);
    memset(text, 7, n);
    memset(few, 3, sizeof few);
    memcpy(text, raw, 3);
    if (memcmp(raw, text, 4) > 0)
        n = -1;
    struct pair taken = *(struct pair *)memcpy(&few[1], &many[0], sizeof taken);
    qsort(numbers, 40, sizeof(int), by_value);
    int *hit = bsearch(&n, numbers, 40, sizeof(int), by_value);
    both.a = 2;
    struct { int a, b; } now;
    void *block = malloc(n * sizeof(struct pair));
    struct pair *typed = block;
    if (typed)
        typed[n & 1].a = taken.a;
    char *bytes = calloc(n, 1), *grown = realloc(bytes, 2 * n);
    int unset;
    int *cell = malloc(sizeof *cell);
    if (hit)
        *hit = unset + *cell;
    struct pair **rows = malloc(3 * sizeof *rows);
    rows[0] = malloc(sizeof(struct pair));
    ssize_t got = read(0, text, sizeof text);
    write(1, text, got);
    int pipes[2];
    if (pipe(pipes))
        abort();
    free(rows[0]);
    free(grown);
    free(block);
    free(numbers + 1);
    return made(n)[0] + now.a;
}
