// BUG: races
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
static void unlock(pthread_mutex_t **l) { pthread_mutex_unlock(*l); }
#define GUARD __attribute__((cleanup(unlock))) pthread_mutex_t *guard = &m; pthread_mutex_lock(guard)
static int bump(int k) {
  if (k) {
    GUARD;
    x += k;
    if (k > 2) return x;
  }
#ifdef BUG
  x--;
#endif
  return 0;
}
void *f(void *p) { bump(1); bump(3); return 0; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
