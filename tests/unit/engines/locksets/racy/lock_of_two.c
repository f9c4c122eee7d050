/* The lock may be one of two. */
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int x;
pthread_mutex_t *m;
void *work(void *p) { pthread_mutex_t *mine = p; pthread_mutex_lock(mine); x++; pthread_mutex_unlock(mine); return 0; }
int main(void) {
    pthread_t t, u;
    pthread_mutex_t *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    pthread_mutex_init(a, 0);
    pthread_mutex_init(b, 0);
    pthread_create(&t, 0, work, a);
    pthread_create(&u, 0, work, __VERIFIER_nondet_int() ? a : b);
}
