// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct n { int v; struct n *next; };
struct b { pthread_mutex_t m; struct n *h; } tab[2];
static void put(int i, struct n *n) { pthread_mutex_lock(&tab[i].m); n->next = tab[i].h; tab[i].h = n; pthread_mutex_unlock(&tab[i].m); }
static struct n *get(int i) { pthread_mutex_lock(&tab[i].m); struct n *n = tab[i].h; if (n) tab[i].h = n->next; pthread_mutex_unlock(&tab[i].m); return n; }
void *f(void *p) {
  struct n *n = malloc(sizeof *n);
  if (!n) return 0;
  n->v = 0;
  put(0, n);
#ifdef BUG
  put(1, n);
#endif
  n = get(0);
  if (n) n->v++;
  n = get(1);
  if (n) n->v++;
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_mutex_init(&tab[0].m, 0); pthread_mutex_init(&tab[1].m, 0);
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
