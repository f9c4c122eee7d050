// BUG: races
#include <pthread.h>
#include <stdlib.h>

#define NB 2
struct n { int k; struct n *next; };
struct bkt { pthread_mutex_t m; struct n *first; int cnt; } b[NB];
int total; pthread_mutex_t tm = PTHREAD_MUTEX_INITIALIZER;
static void ins(int k) {
  struct bkt *q = &b[(unsigned)k % NB];
  struct n *n = malloc(sizeof *n);
  if (!n) return;
  n->k = k;
  pthread_mutex_lock(&q->m);
  n->next = q->first; q->first = n; q->cnt++;
#ifdef BUG
  total++;
#endif
  pthread_mutex_unlock(&q->m);
#ifndef BUG
  pthread_mutex_lock(&tm); total++; pthread_mutex_unlock(&tm);
#endif
}
void *f(void *p) { ins(1); ins(2); return 0; }
int main(void) {
  pthread_t a, c;
  for (int i = 0; i < NB; i++) pthread_mutex_init(&b[i].m, 0);
  pthread_create(&a, 0, f, 0); pthread_create(&c, 0, f, 0);
  pthread_join(a, 0); pthread_join(c, 0);
  return 0;
}
