// BUG: races
#include <pthread.h>

struct n { int v; struct n *next; };
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; struct n *head; struct n nodes[2];
void *f(void *p) {
  pthread_mutex_lock(&m);
  struct n *n = head;
  if (n) head = n->next;
  pthread_mutex_unlock(&m);
  if (!n) return 0;
  n->v++;
  pthread_mutex_lock(&m);
  n->next = head; head = n;
  pthread_mutex_unlock(&m);
#ifdef BUG
  n->v--;
#endif
  return 0;
}
int main(void) {
  pthread_t a, b;
  nodes[0].next = &nodes[1]; head = nodes;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
