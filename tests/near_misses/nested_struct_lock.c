// BUG: races
#include <pthread.h>

struct in { int v; }; struct mid { pthread_mutex_t m; struct in in[2]; }; struct out { struct mid a, b; } o;
static struct in *pick(struct mid *q, int i) { return &q->in[i]; }
void *f(void *p) { pthread_mutex_lock(&o.a.m); pick(&o.a, 1)->v++; pthread_mutex_unlock(&o.a.m); return 0; }
void *g(void *p) {
  pthread_mutex_lock(&o.b.m);
#ifdef BUG
  pick(&o.a, 1)->v++;
#else
  pick(&o.b, 1)->v++;
#endif
  pthread_mutex_unlock(&o.b.m);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_mutex_init(&o.a.m, 0); pthread_mutex_init(&o.b.m, 0);
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
