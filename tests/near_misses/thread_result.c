// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct r { int v; };
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct r *last;
void *f(void *p) {
  struct r *r = malloc(sizeof *r);
  if (!r) return 0;
  r->v = 1;
#ifdef BUG
  pthread_mutex_lock(&m);
  if (last) last->v = 5;
  last = r;
  pthread_mutex_unlock(&m);
#endif
  return r;
}
int main(void) {
  pthread_t a, b; void *x = 0, *y = 0;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, &x);
  if (x) { ((struct r *)x)->v++; }
  pthread_join(b, &y);
  if (y) { ((struct r *)y)->v++; }
  return 0;
}
