// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct e { int val; struct e *hnext, *lnext; };
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct e *hash, *lru;
static void insert(int v) {
  struct e *n = malloc(sizeof *n);
  if (!n) return;
  n->val = v;
  pthread_mutex_lock(&m);
  n->hnext = hash; hash = n;
  n->lnext = lru; lru = n;
  pthread_mutex_unlock(&m);
}
static void evict(void) {
  pthread_mutex_lock(&m);
  struct e *v = lru, **pp;
  if (v) {
    lru = v->lnext;
#ifndef BUG
    for (pp = &hash; *pp; pp = &(*pp)->hnext)
      if (*pp == v) { *pp = v->hnext; break; }
#else
    (void)pp;
#endif
  }
  pthread_mutex_unlock(&m);
  if (v) { v->val = -1; free(v); }
}
void *f(void *arg) { insert(1); evict(); return 0; }
void *g(void *arg) {
  int sum = 0;
  pthread_mutex_lock(&m);
  for (struct e *n = hash; n; n = n->hnext) sum += n->val;
  pthread_mutex_unlock(&m);
  return (void *)(long)sum;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
