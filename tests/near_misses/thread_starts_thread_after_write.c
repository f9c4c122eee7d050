// BUG: races
#include <pthread.h>

int cfg, seen;
void *h(void *p) { seen = cfg; return 0; }
void *f(void *p) {
  pthread_t t;
#ifndef BUG
  cfg = 4;
#endif
  pthread_create(&t, 0, h, 0);
#ifdef BUG
  cfg = 4;
#endif
  pthread_join(t, 0);
  cfg = seen;
  return 0;
}
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return seen; }
