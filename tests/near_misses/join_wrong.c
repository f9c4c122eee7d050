// BUG: races
#include <pthread.h>

int x[2];
void *f(void *p) { int *q = p; *q = 5; return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, &x[0]);
  pthread_create(&b, 0, f, &x[1]);
  pthread_join(a, 0);
#ifdef BUG
  x[1]++;
  pthread_join(b, 0);
#else
  x[0]++;
  pthread_join(b, 0);
  x[1]++;
#endif
  return 0;
}
