/* Parallel merge sort and prefix sums with recursion creating threads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
struct range { int *v, *tmp; size_t n; int depth; };
static void merge(int *v, int *t, size_t n) { size_t i = 0, j = n / 2, k = 0; while (i < n / 2 && j < n) t[k++] = v[i] <= v[j] ? v[i++] : v[j++]; while (i < n / 2) t[k++] = v[i++]; while (j < n) t[k++] = v[j++]; memcpy(v, t, n * sizeof *v); }
static void *sort(void *arg)
{
    struct range *r = arg;
    if (r->n < 2) return NULL;
    struct range l = { r->v, r->tmp, r->n / 2, r->depth - 1 }, h = { r->v + r->n / 2, r->tmp + r->n / 2, r->n - r->n / 2, r->depth - 1 };
    pthread_t t; int started = 0;
    if (r->depth > 0) started = pthread_create(&t, NULL, sort, &l) == 0;
    if (!started) sort(&l);
    sort(&h);
    if (started) pthread_join(t, NULL);
    merge(r->v, r->tmp, r->n);
    return NULL;
}
int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 8;
    if (n == 0 || n > 1u << 20) return 2;
    int *v = malloc(n * sizeof *v), *t = malloc(n * sizeof *t);
    if (!v || !t) { free(v); free(t); return 1; }
    srand((unsigned)time(NULL));
    for (size_t i = 0; i < n; i++) v[i] = rand() % 1000;
    struct range all = { v, t, n, 1 };
    clock_t c = clock(); sort(&all);
    for (size_t i = 1; i < n; i++) if (v[i - 1] > v[i]) { puts("wrong"); return 1; }
    printf("%.3f s\n", (double)(clock() - c) / CLOCKS_PER_SEC);
    free(v); free(t);
    return 0;
}
