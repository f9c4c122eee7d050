// BUG: races
#include <pthread.h>

pthread_barrier_t bar;
int data[3], sum[3];
void *f(void *p) {
  long me = (long)p;
  data[me] = (int)me;
  pthread_barrier_wait(&bar);
  for (int i = 0; i < 3; i++) sum[me] += data[i];
  pthread_barrier_wait(&bar);
  data[me] = 0;
  return 0;
}
int main(void) {
  pthread_t t[3];
#ifdef BUG
  pthread_barrier_init(&bar, 0, 1);
#else
  pthread_barrier_init(&bar, 0, 3);
#endif
  for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, f, (void *)i);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return sum[0];
}
