// BUG: races
#include <pthread.h>

int x;
void *f(void *p) { x++; return 0; }
int main(void) {
  pthread_t t, prev; int has = 0;
  for (int i = 0; i < 4; i++) {
#ifdef BUG
    pthread_create(&t, 0, f, 0);
    if (has) pthread_join(prev, 0);
#else
    if (has) pthread_join(prev, 0);
    pthread_create(&t, 0, f, 0);
#endif
    prev = t; has = 1;
  }
  pthread_join(prev, 0);
  return x;
}
