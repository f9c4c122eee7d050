// BUG: races
#include <assert.h>
#include <pthread.h>

pthread_barrier_t bar; int tab[3];
void *f(void *p) {
  long me = (long)p;
  if (me == 0) for (int i = 0; i < 3; i++) tab[i] = i;
#ifndef BUG
  pthread_barrier_wait(&bar);
#endif
  int v = tab[me];
#ifdef BUG
  pthread_barrier_wait(&bar);
#endif
  assert(v == me || 1);
  return 0;
}
int main(void) {
  pthread_t t[2];
  pthread_barrier_init(&bar, 0, 2);
  for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, f, (void *)i);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  return 0;
}
