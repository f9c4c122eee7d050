// BUG: races
#include <assert.h>
#include <pthread.h>

int flag, data;
void *f(void *p) {
  data = 5;
#ifdef BUG
  flag = 1;
#else
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
#endif
  return 0;
}
void *g(void *p) {
  if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) assert(data == 5);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
