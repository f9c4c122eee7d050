// BUG: assertions
#include <assert.h>
#include <pthread.h>

struct acct { pthread_mutex_t m; int v; } A, B;
static void move(struct acct *x, struct acct *y, int k) {
#ifdef BUG
  pthread_mutex_lock(&x->m); x->v -= k; pthread_mutex_unlock(&x->m);
  pthread_mutex_lock(&y->m); y->v += k; pthread_mutex_unlock(&y->m);
#else
  pthread_mutex_lock(&A.m); pthread_mutex_lock(&B.m);
  x->v -= k; y->v += k;
  pthread_mutex_unlock(&B.m); pthread_mutex_unlock(&A.m);
#endif
}
void *f(void *p) { move(&A, &B, 2); return 0; }
void *g(void *p) {
  pthread_mutex_lock(&A.m); pthread_mutex_lock(&B.m);
  assert(A.v + B.v == 10);
  pthread_mutex_unlock(&B.m); pthread_mutex_unlock(&A.m);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_mutex_init(&A.m, 0); pthread_mutex_init(&B.m, 0); A.v = 10;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
