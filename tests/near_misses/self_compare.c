// BUG: races
#include <pthread.h>

pthread_t owner; int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int has;
void *f(void *p) {
  int mine = 0;
  pthread_mutex_lock(&m);
  if (!has) { has = 1; owner = pthread_self(); }
  mine = pthread_equal(owner, pthread_self());
  pthread_mutex_unlock(&m);
#ifdef BUG
  if (mine || p) x++;
#else
  if (mine) x++;
#endif
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, &x);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
