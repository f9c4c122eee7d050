// BUG: races
#include <pthread.h>

pthread_mutex_t m; int x;
void *f(void *p) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
int main(void) {
  pthread_t a, b;
  pthread_mutex_init(&m, 0);
  pthread_create(&a, 0, f, 0);
#ifndef BUG
  pthread_join(a, 0);
  pthread_mutex_destroy(&m);
  pthread_mutex_init(&m, 0);
  pthread_create(&b, 0, f, 0);
  pthread_join(b, 0);
#else
  pthread_create(&b, 0, f, 0);
  pthread_join(a, 0);
  x++;
  pthread_join(b, 0);
#endif
  return x;
}
