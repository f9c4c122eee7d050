// BUG: races
#include <pthread.h>

struct flags { unsigned up : 1;
#ifndef BUG
  unsigned : 0;
#endif
  unsigned busy : 3; } fl;
void *f(void *p) { fl.up = 1; return 0; }
void *g(void *p) { fl.busy = 2; return 0; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
