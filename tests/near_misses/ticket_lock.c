// BUG: races
#include <pthread.h>
#include <stdatomic.h>

atomic_uint next, serving; int x;
void *f(void *p) {
  unsigned me = atomic_fetch_add(&next, 1);
#ifdef BUG
  while (atomic_load(&serving) + 1 < me) ;
#else
  while (atomic_load(&serving) != me) ;
#endif
  x++;
  atomic_fetch_add(&serving, 1);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
