// BUG: races
#include <pthread.h>

pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
struct tab { int n; int hits; int v[4]; } tab;
static int lookup(int k) {
  int r = -1;
  pthread_rwlock_rdlock(&w);
  if (k < tab.n) r = tab.v[k];
#ifdef BUG
  tab.hits++;
#else
  __atomic_fetch_add(&tab.hits, 1, __ATOMIC_RELAXED);
#endif
  pthread_rwlock_unlock(&w);
  return r;
}
static void put(int v) {
  pthread_rwlock_wrlock(&w);
  if (tab.n < 4) tab.v[tab.n++] = v;
  pthread_rwlock_unlock(&w);
}
void *f(void *p) { put(3); lookup(0); return 0; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
