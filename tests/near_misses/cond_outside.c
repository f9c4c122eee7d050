// BUG: races
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready, payload;
void *f(void *p) {
  payload = 42;
#ifdef BUG
  ready = 1;
  pthread_mutex_lock(&m);
#else
  pthread_mutex_lock(&m);
  ready = 1;
#endif
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return 0;
}
void *g(void *p) {
  pthread_mutex_lock(&m);
  while (!ready) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  assert(payload == 42);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
