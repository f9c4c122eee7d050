// BUG: races
#include <pthread.h>

pthread_barrier_t bar;
int data[2], other[2];
int fast;
void *f(void *p) {
  long me = (long)p;
  data[me] = 1;
  pthread_barrier_wait(&bar);
  other[me] = data[1 - me];
#ifndef BUG
  pthread_barrier_wait(&bar);
#endif
  data[me] = 2;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_barrier_init(&bar, 0, 2);
  pthread_create(&t, 0, f, (void *)0L);
  f((void *)1L);
  pthread_join(t, 0);
  return other[0] + other[1] != 2;
}
