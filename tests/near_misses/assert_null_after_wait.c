// BUG: assertions
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int *slot; int n;
void *f(void *p) {
  pthread_mutex_lock(&m);
  while (!slot) pthread_cond_wait(&c, &m);
#ifdef BUG
  while (n < 1) pthread_cond_wait(&c, &m);
#endif
  assert(slot != 0);
  slot = 0;
  pthread_mutex_unlock(&m);
  return 0;
}
int v;
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_mutex_lock(&m); slot = &v; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);
  pthread_mutex_lock(&m); n = 1; slot = &v; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);
  return 0;
}
