// BUG: races
#include <pthread.h>

pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER; int v, cached;
static int get(void) {
  int r;
  pthread_rwlock_rdlock(&w);
  r = v;
#ifdef BUG
  cached = r;
  pthread_rwlock_unlock(&w);
#else
  pthread_rwlock_unlock(&w);
  pthread_rwlock_wrlock(&w);
  cached = r;
  pthread_rwlock_unlock(&w);
#endif
  return r;
}
void *f(void *p) { get(); return 0; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
