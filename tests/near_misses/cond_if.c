// BUG: assertions
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int items;
void *f(void *p) {
  pthread_mutex_lock(&m);
#ifdef BUG
  if (items == 0) pthread_cond_wait(&c, &m);
#else
  while (items == 0) pthread_cond_wait(&c, &m);
#endif
  items--;
  assert(items >= 0);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  for (int i = 0; i < 2; i++) { pthread_mutex_lock(&m); items++; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m); }
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
