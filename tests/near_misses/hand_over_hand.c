// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct n { pthread_mutex_t m; int v; struct n *next; };
struct n list;
static void add(int v) {
  struct n *n = malloc(sizeof *n);
  if (!n) return;
  pthread_mutex_init(&n->m, 0);
  n->v = v;
  pthread_mutex_lock(&list.m);
  n->next = list.next; list.next = n;
  pthread_mutex_unlock(&list.m);
}
static void bump(void) {
  struct n *p = &list, *q;
  pthread_mutex_lock(&p->m);
  while ((q = p->next)) {
#ifdef BUG
    pthread_mutex_unlock(&p->m);
    q->v++;
    pthread_mutex_lock(&q->m);
#else
    pthread_mutex_lock(&q->m);
    pthread_mutex_unlock(&p->m);
    q->v++;
#endif
    p = q;
  }
  pthread_mutex_unlock(&p->m);
}
void *f(void *p) { add(1); bump(); return 0; }
int main(void) {
  pthread_t a, b;
  pthread_mutex_init(&list.m, 0);
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
