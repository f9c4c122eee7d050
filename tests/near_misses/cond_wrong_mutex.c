// BUG: races
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready, data;
void *f(void *p) {
#ifdef BUG
  pthread_mutex_lock(&b); ready = 1; data = 2; pthread_cond_signal(&c); pthread_mutex_unlock(&b);
#else
  pthread_mutex_lock(&a); ready = 1; data = 2; pthread_cond_signal(&c); pthread_mutex_unlock(&a);
#endif
  return 0;
}
void *g(void *p) {
  pthread_mutex_lock(&a);
  while (!ready) pthread_cond_wait(&c, &a);
  int v = data;
  pthread_mutex_unlock(&a);
  return (void *)(long)v;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
