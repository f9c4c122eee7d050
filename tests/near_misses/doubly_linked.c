// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct n { int v; struct n *prev, *next; };
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct n *first;
static void add(struct n *n) {
  pthread_mutex_lock(&m);
  n->prev = 0; n->next = first;
  if (first) first->prev = n;
  first = n;
  pthread_mutex_unlock(&m);
}
static void del(struct n *n) {
  pthread_mutex_lock(&m);
  if (n->next) n->next->prev = n->prev;
#ifndef BUG
  if (n->prev) n->prev->next = n->next; else first = n->next;
#endif
  pthread_mutex_unlock(&m);
}
void *f(void *p) {
  struct n *n = malloc(sizeof *n);
  if (!n) return 0;
  n->v = 0;
  add(n);
  del(n);
  n->v = 2;
  free(n);
  return 0;
}
void *g(void *p) {
  int s = 0;
  pthread_mutex_lock(&m);
  for (struct n *n = first; n; n = n->next) s += n->v;
  pthread_mutex_unlock(&m);
  return (void *)(long)s;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
