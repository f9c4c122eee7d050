// BUG: races
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x;
static void un(void *l) { pthread_mutex_unlock(l); }
void *f(void *p) {
  pthread_mutex_lock(&m);
  pthread_cleanup_push(un, &m);
  x++;
#ifdef BUG
  pthread_cleanup_pop(1);
  x++;
#else
  pthread_cleanup_pop(0);
  x++;
  pthread_mutex_unlock(&m);
#endif
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
