// BUG: races
#include <pthread.h>

pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER; int v;
void *f(void *p) {
  if (pthread_rwlock_tryrdlock(&w) == 0) { int r = v; pthread_rwlock_unlock(&w); (void)r; }
#ifdef BUG
  if (pthread_rwlock_tryrdlock(&w) == 0)
#else
  if (pthread_rwlock_trywrlock(&w) == 0)
#endif
  { v = 1; pthread_rwlock_unlock(&w); }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
