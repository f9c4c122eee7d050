/* Many thread-specific keys, as a library of modules has. */
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>
#define MODULES 20
static pthread_key_t keys[MODULES];
static void *run(void *arg)
{
    for (int i = 0; i < MODULES; i++) { int *p = malloc(sizeof *p); if (!p) return NULL; *p = i; pthread_setspecific(keys[i], p); }
    int sum = 0;
    for (int i = 0; i < MODULES; i++) { int *p = pthread_getspecific(keys[i]); if (p) sum += *p; }
    *(int *)arg = sum;
    return NULL;
}
int main(void)
{
    pthread_t a, b; int x = 0, y = 0;
    for (int i = 0; i < MODULES; i++) if (pthread_key_create(&keys[i], free)) return 1;
    pthread_create(&a, NULL, run, &x); pthread_create(&b, NULL, run, &y);
    pthread_join(a, NULL); pthread_join(b, NULL);
    printf("%d %d\n", x, y);
    for (int i = 0; i < MODULES; i++) pthread_key_delete(keys[i]);
    return 0;
}
