// BUG: races
#include <pthread.h>

#define N 3
int cells[2 * N + 1];
void *f(void *p) {
  int *base = p;
  base[0] = 1;
  base[1] = 2;
#ifdef BUG
  base[2]++;
#endif
  return 0;
}
int main(void) {
  pthread_t t[N];
  for (int i = 0; i < N; i++) pthread_create(&t[i], 0, f, &cells[2 * i]);
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  return cells[0] != 1;
}
