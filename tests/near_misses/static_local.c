// BUG: races
#include <pthread.h>

static int ident(void) {
#ifdef BUG
  static int n;
#else
  static __thread int n;
#endif
  return ++n;
}
void *f(void *p) { return (void *)(long)ident(); }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
