// BUG: races
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int count;
static int work(void) {
#ifdef BUG
  pthread_mutex_trylock(&m);
#else
  if (pthread_mutex_trylock(&m)) return 0;
#endif
  count++;
  return 1;
}
void *f(void *p) {
  if (work()) {
    int c = count;
    (void)c;
    pthread_mutex_unlock(&m);
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
