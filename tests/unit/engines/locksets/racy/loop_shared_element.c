/* Two threads get one element. */
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct job { int out; };
void *work(void *p) { struct job *j = p; j->out = 1; return 0; }
int main(void) {
    int n = __VERIFIER_nondet_int();
    pthread_t *t = malloc(n * sizeof *t);
    struct job *jobs = malloc(n * sizeof *jobs);
    for (int i = 0; i < n; i++) pthread_create(&t[i], 0, work, &jobs[i ? i - 1 : 0]);
    for (int i = 0; i < n; i++) pthread_join(t[i], 0);
}
