/* Ids overwrite each other. */
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int total;
void *work(void *p) { total = 1; return 0; }
int main(void) {
    int n = __VERIFIER_nondet_int();
    pthread_t *t = malloc(n * sizeof *t);
    for (int i = 0; i < n; i++) pthread_create(&t[i / 2], 0, work, 0);
    for (int i = 0; i < n; i++) pthread_join(t[i], 0);
    total = 2;
}
