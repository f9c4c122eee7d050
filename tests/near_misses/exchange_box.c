// BUG: races
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct msg { int v; };
struct msg *_Atomic box;
void *f(void *p) {
  struct msg *n = malloc(sizeof *n);
  if (!n) return 0;
  n->v = 1;
  struct msg *o = atomic_exchange(&box, n);
  free(o);
  return 0;
}
void *g(void *p) {
#ifdef BUG
  struct msg *o = atomic_load(&box);
  if (o) o->v = 2;
#else
  struct msg *o = atomic_exchange(&box, (struct msg *)0);
  if (o) { o->v = 2; free(o); }
#endif
  return 0;
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0); pthread_create(&c, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0);
  return 0;
}
