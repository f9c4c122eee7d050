// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct cfg { int a; };
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct cfg *cur;
void *f(void *p) {
  pthread_mutex_lock(&m);
  struct cfg *c = cur;
#ifdef BUG
  pthread_mutex_unlock(&m);
  int v = c ? c->a : 0;
#else
  int v = c ? c->a : 0;
  pthread_mutex_unlock(&m);
#endif
  return (void *)(long)v;
}
void *g(void *p) {
  struct cfg *n = malloc(sizeof *n);
  if (!n) return 0;
  n->a = 1;
  pthread_mutex_lock(&m);
  struct cfg *o = cur; cur = n;
  pthread_mutex_unlock(&m);
  free(o);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0); pthread_t c; pthread_create(&c, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0);
  return 0;
}
