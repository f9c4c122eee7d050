// BUG: races
#include <assert.h>
#include <pthread.h>

pthread_barrier_t bar;
int total, part[2];
void *f(void *p) {
  long me = (long)p;
  part[me] = 3;
#ifdef BUG
  pthread_barrier_wait(&bar);
  total += part[me];
#else
  if (pthread_barrier_wait(&bar) == PTHREAD_BARRIER_SERIAL_THREAD) total = part[0] + part[1];
#endif
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_barrier_init(&bar, 0, 2);
  pthread_create(&t, 0, f, (void *)0L);
  f((void *)1L);
  pthread_join(t, 0);
  assert(total == 6);
  return 0;
}
