// BUG: races
#include <pthread.h>

int lk, x;
static void lock(void) { int e; do { e = 0; } while (!__atomic_compare_exchange_n(&lk, &e,
#ifdef BUG
 0,
#else
 1,
#endif
 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)); }
static void unlock(void) { __atomic_store_n(&lk, 0, __ATOMIC_RELEASE); }
void *f(void *p) { lock(); x++; unlock(); return 0; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
