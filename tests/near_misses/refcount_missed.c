// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct obj { int refs; int val; };
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct obj *cur;
static struct obj *get(void) {
  pthread_mutex_lock(&m);
  struct obj *o = cur;
#ifndef BUG
  if (o) o->refs++;
#endif
  pthread_mutex_unlock(&m);
  return o;
}
static void drop(struct obj *o) {
  pthread_mutex_lock(&m);
  int left = --o->refs;
  pthread_mutex_unlock(&m);
  if (left == 0) free(o);
}
void *f(void *arg) {
  struct obj *o = get();
  if (o) {
    int v = o->val;
    (void)v;
#ifndef BUG
    drop(o);
#endif
  }
  return 0;
}
void *g(void *arg) {
  struct obj *n = malloc(sizeof *n);
  if (!n) return 0;
  n->refs = 1; n->val = 2;
  pthread_mutex_lock(&m);
  struct obj *old = cur;
  cur = n;
  pthread_mutex_unlock(&m);
  if (old) drop(old);
  return 0;
}
int main(void) {
  pthread_t a, b;
  cur = malloc(sizeof *cur);
  if (!cur) return 1;
  cur->refs = 1; cur->val = 1;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
