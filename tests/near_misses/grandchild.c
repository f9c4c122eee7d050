// BUG: races
#include <pthread.h>

int x;
void *h(void *p) { x = 1; return 0; }
void *f(void *p) {
  pthread_t t;
  pthread_create(&t, 0, h, 0);
#ifndef BUG
  pthread_join(t, 0);
#endif
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  pthread_join(t, 0);
  x++;
  return 0;
}
