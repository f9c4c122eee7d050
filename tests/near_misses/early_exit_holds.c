// BUG: races
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x;
static int step(int k) {
  pthread_mutex_lock(&m);
  if (k == 0) {
    pthread_mutex_unlock(&m);
#ifndef BUG
    return 0;
#endif
  }
  x += k;
  if (k) pthread_mutex_unlock(&m);
  return 1;
}
void *f(void *p) { step(1); step(0); return 0; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
