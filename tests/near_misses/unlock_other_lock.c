// BUG: races
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER; int x;
pthread_mutex_t *which(int k) { return k ? &a : &b; }
void *f(void *p) {
  pthread_mutex_lock(&a); pthread_mutex_lock(&b);
#ifdef BUG
  pthread_mutex_unlock(which(1));
  x++;
  pthread_mutex_unlock(which(0));
#else
  x++;
  pthread_mutex_unlock(which(0));
  pthread_mutex_unlock(which(1));
#endif
  return 0;
}
void *g(void *p) { pthread_mutex_lock(&a); x--; pthread_mutex_unlock(&a); return 0; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
