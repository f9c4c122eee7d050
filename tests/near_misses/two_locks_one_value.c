// BUG: races
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int v;
static void set(int k) {
  pthread_mutex_lock(&a);
#ifndef BUG
  pthread_mutex_lock(&b);
#endif
  v = k;
#ifndef BUG
  pthread_mutex_unlock(&b);
#endif
  pthread_mutex_unlock(&a);
}
void *f(void *p) { pthread_mutex_lock(&a); int r = v; pthread_mutex_unlock(&a); set(r + 1); return 0; }
void *g(void *p) { pthread_mutex_lock(&b); int r = v; pthread_mutex_unlock(&b); return (void *)(long)r; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
