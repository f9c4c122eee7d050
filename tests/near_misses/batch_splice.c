// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct n { int v; struct n *next; };
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; struct n *pend, *done;
static void put(struct n **l, struct n *n) { pthread_mutex_lock(&m); n->next = *l; *l = n; pthread_mutex_unlock(&m); }
void *f(void *p) {
  struct n *n = malloc(sizeof *n);
  if (!n) return 0;
  n->v = 1;
  put(&pend, n);
#ifdef BUG
  put(&done, n);
#endif
  return 0;
}
void *g(void *p) {
  pthread_mutex_lock(&m);
  struct n *l = pend; pend = 0;
  pthread_mutex_unlock(&m);
  while (l) { struct n *x = l->next; l->v++; put(&done, l); l = x; }
  pthread_mutex_lock(&m);
  l = done; done = 0;
  pthread_mutex_unlock(&m);
  for (; l; l = l->next) l->v--;
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0); pthread_t c; pthread_create(&c, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0);
  return 0;
}
