// BUG: races
#include <pthread.h>

int x, y;
void *f(void *p) { x = 1; return 0; }
void *g(void *p) { y = 1; return 0; }
int main(void) {
  pthread_t t[2], k;
  pthread_create(&t[0], 0, f, 0); pthread_create(&t[1], 0, g, 0);
  k = t[0]; t[0] = t[1]; t[1] = k;
  pthread_join(t[0], 0);
#ifdef BUG
  x = 2;
#else
  y = 2;
#endif
  pthread_join(t[1], 0);
  return x + y;
}
