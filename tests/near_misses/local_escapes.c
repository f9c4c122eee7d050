// BUG: races
#include <pthread.h>

struct req { int v; pthread_t t; };
void *f(void *p) { struct req *r = p; r->v++; return 0; }
static int run(void) {
  struct req r = { 1, 0 };
  if (pthread_create(&r.t, 0, f, &r)) return -1;
#ifdef BUG
  int v = r.v;
  pthread_join(r.t, 0);
#else
  pthread_join(r.t, 0);
  int v = r.v;
#endif
  return v;
}
int main(void) { int a = run(); int b = run(); return a + b; }
