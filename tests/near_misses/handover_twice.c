// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct buf { int len; char data[4]; };
struct box { pthread_mutex_t m; struct buf *b; } in = { PTHREAD_MUTEX_INITIALIZER, 0 }, out = { PTHREAD_MUTEX_INITIALIZER, 0 };
static void put(struct box *x, struct buf *b) {
  pthread_mutex_lock(&x->m);
  struct buf *old = x->b;
  x->b = b;
  pthread_mutex_unlock(&x->m);
  free(old);
}
static struct buf *take(struct box *x) {
  pthread_mutex_lock(&x->m);
  struct buf *b = x->b;
  x->b = 0;
  pthread_mutex_unlock(&x->m);
  return b;
}
void *f(void *arg) {
  struct buf *b = take(&in);
  if (b) { b->len++; free(b); }
  return 0;
}
void *g(void *arg) {
  struct buf *b = take(&out);
  if (b) {
    b->len--;
#ifndef BUG
    free(b);
#endif
  }
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  struct buf *p = malloc(sizeof *p);
  if (!p) return 1;
  p->len = 0;
#ifdef BUG
  struct buf *q = p;
#else
  struct buf *q = malloc(sizeof *q);
  if (!q) return 1;
  q->len = 0;
#endif
  put(&in, p);
  put(&out, q);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
