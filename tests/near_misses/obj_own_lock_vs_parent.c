// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct child { int v; struct parent *up; };
struct parent { pthread_mutex_t m; struct child *c; };
struct parent p1, p2; struct child *kid;
static void bump(struct child *c) { struct parent *u = c->up; pthread_mutex_lock(&u->m); c->v++; pthread_mutex_unlock(&u->m); }
void *f(void *p) { bump(kid); return 0; }
void *g(void *p) {
#ifdef BUG
  pthread_mutex_lock(&p2.m); kid->v--; pthread_mutex_unlock(&p2.m);
#else
  pthread_mutex_lock(&p1.m); kid->v--; pthread_mutex_unlock(&p1.m);
#endif
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_mutex_init(&p1.m, 0); pthread_mutex_init(&p2.m, 0);
  kid = malloc(sizeof *kid);
  if (!kid) return 1;
  kid->v = 0; kid->up = &p1; p1.c = kid;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
