// BUG: races
#include <pthread.h>

int shared;
void *f(void *p) { __atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST); return 0; }
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++)
#ifdef BUG
    pthread_create(&t[0], 0, f, 0);
#else
    pthread_create(&t[i], 0, f, 0);
#endif
  pthread_join(t[0], 0);
#ifndef BUG
  pthread_join(t[1], 0);
#endif
  shared = 9;
  return 0;
}
