// BUG: races
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct obj { atomic_int refs; int val; };
struct obj *shared;
static void put(struct obj *o) {
#ifdef BUG
  if (atomic_load(&o->refs) == 1) { free(o); return; }
  atomic_fetch_sub(&o->refs, 1);
#else
  if (atomic_fetch_sub(&o->refs, 1) == 1) free(o);
#endif
}
void *f(void *arg) {
  struct obj *o = arg;
  int v = o->val;
  put(o);
  return (void *)(long)v;
}
int main(void) {
  pthread_t a;
  struct obj *o = malloc(sizeof *o);
  if (!o) return 1;
  atomic_init(&o->refs, 2);
  o->val = 7;
  pthread_create(&a, 0, f, o);
#ifdef BUG
  atomic_fetch_sub(&o->refs, 1);
  o->val = 8;
#else
  assert(o->val == 7);
  put(o);
#endif
  pthread_join(a, 0);
  return 0;
}
