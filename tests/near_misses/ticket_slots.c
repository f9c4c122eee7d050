// BUG: races
#include <pthread.h>
#include <stdatomic.h>

#define N 4
atomic_uint next;
int slot[N];
void *f(void *p) {
  unsigned k = atomic_fetch_add(&next, 1);
#ifdef BUG
  k &= 1;
#endif
  if (k < N) slot[k] = (int)k + 1;
  return 0;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return slot[0];
}
