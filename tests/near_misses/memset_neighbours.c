// BUG: races
#include <pthread.h>
#include <string.h>

struct dev { int rx[2]; int tx[2]; } d;
pthread_mutex_t rl = PTHREAD_MUTEX_INITIALIZER, tl = PTHREAD_MUTEX_INITIALIZER;
void *f(void *p) {
  pthread_mutex_lock(&rl);
#ifdef BUG
  memset(&d, 0, sizeof d);
#else
  memset(d.rx, 0, sizeof d.rx);
#endif
  pthread_mutex_unlock(&rl);
  return 0;
}
void *g(void *p) { pthread_mutex_lock(&tl); d.tx[1]++; pthread_mutex_unlock(&tl); return 0; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
