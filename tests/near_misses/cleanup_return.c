// BUG: races
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
static void unlock(pthread_mutex_t **l) { pthread_mutex_unlock(*l); }
#ifdef BUG
static int *peek(void) {
#else
static int peek(void) {
#endif
  __attribute__((cleanup(unlock))) pthread_mutex_t *guard = &m;
  pthread_mutex_lock(guard);
  x++;
#ifdef BUG
  return &x;
#else
  return x;
#endif
}
void *f(void *p) {
#ifdef BUG
  int v = *peek();
#else
  int v = peek();
#endif
  return (void *)(long)v;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
