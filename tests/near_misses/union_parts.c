// BUG: races
#include <pthread.h>

union u { struct { int a, b; } s; long l; char c[8]; } v;
void *f(void *p) { v.s.a = 1; return 0; }
void *g(void *p) {
#ifdef BUG
  v.c[2] = 1;
#else
  v.s.b = 1;
#endif
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
