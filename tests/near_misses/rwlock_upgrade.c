// BUG: races
#include <pthread.h>
#include <stdlib.h>

pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
struct s { int v; } *g0;
void *f(void *p) {
  pthread_rwlock_rdlock(&w);
  struct s *o = g0;
  pthread_rwlock_unlock(&w);
  pthread_rwlock_wrlock(&w);
#ifndef BUG
  o = g0;
#endif
  if (o) o->v++;
  pthread_rwlock_unlock(&w);
  return 0;
}
void *g(void *p) {
  pthread_rwlock_wrlock(&w);
  struct s *o = g0;
  g0 = 0;
  pthread_rwlock_unlock(&w);
  if (o) { o->v = 0; free(o); }
  return 0;
}
int main(void) {
  pthread_t a, b;
  g0 = malloc(sizeof *g0);
  if (!g0) return 1;
  g0->v = 0;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
