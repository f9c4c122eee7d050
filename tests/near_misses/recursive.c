// BUG: races
#include <pthread.h>

pthread_mutex_t m; int x;
static void inner(void) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }
void *f(void *p) {
  pthread_mutex_lock(&m);
  inner();
#ifdef BUG
  pthread_mutex_unlock(&m);
  x++;
#else
  x++;
  pthread_mutex_unlock(&m);
#endif
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_mutexattr_t at;
  pthread_mutexattr_init(&at);
  pthread_mutexattr_settype(&at, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &at);
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
