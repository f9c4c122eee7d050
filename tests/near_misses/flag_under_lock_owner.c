// BUG: races
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int initialised; int tab[2];
static void init(void) {
  int first;
  pthread_mutex_lock(&m);
  first = !initialised;
#ifdef BUG
  initialised = 1;
  pthread_mutex_unlock(&m);
  if (first) { tab[0] = 1; tab[1] = 2; }
#else
  if (first) { tab[0] = 1; tab[1] = 2; initialised = 1; }
  pthread_mutex_unlock(&m);
#endif
}
void *f(void *p) { init(); assert(tab[0] + tab[1] >= 0); return 0; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
