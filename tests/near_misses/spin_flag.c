// BUG: races
#include <pthread.h>
#include <stdatomic.h>

atomic_flag fl = ATOMIC_FLAG_INIT; int x;
void *f(void *p) {
  while (atomic_flag_test_and_set(&fl)) ;
#ifdef BUG
  atomic_flag_clear(&fl);
  x++;
#else
  x++;
  atomic_flag_clear(&fl);
#endif
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
