// BUG: races
#include <pthread.h>

struct parent { pthread_mutex_t m; int n; };
struct child { int v; struct parent *up; };
struct parent p1, p2; struct child kid;
void *f(void *p) {
  struct parent *u = __atomic_load_n(&kid.up, __ATOMIC_SEQ_CST);
  pthread_mutex_lock(&u->m);
#ifndef BUG
  if (__atomic_load_n(&kid.up, __ATOMIC_SEQ_CST) == u)
#endif
  kid.v++;
  pthread_mutex_unlock(&u->m);
  return 0;
}
void *g(void *p) {
  pthread_mutex_lock(&p1.m);
  pthread_mutex_lock(&p2.m);
  __atomic_store_n(&kid.up, &p2, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&p2.m);
  pthread_mutex_unlock(&p1.m);
  f(0);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_mutex_init(&p1.m, 0); pthread_mutex_init(&p2.m, 0);
  kid.up = &p1;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
