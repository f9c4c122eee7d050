// BUG: races
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int x, y;
static void w(int c) {
  pthread_mutex_t *l = c ? &a : &b;
  pthread_mutex_lock(l);
#ifdef BUG
  x++;
#else
  if (c) x++; else y++;
#endif
  pthread_mutex_unlock(l);
}
void *f(void *p) { w(1); w(0); return 0; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
