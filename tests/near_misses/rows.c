// BUG: races
#include <pthread.h>

#define N 3
static int grid[N][N];
void *f(void *p) {
  long me = (long)p;
  for (int k = 0; k < N; k++)
#ifdef BUG
    if (me == 0) grid[k][me] = k; else
#endif
    grid[me][k] = k;
  return 0;
}
int main(void) {
  pthread_t t[N];
  for (long i = 0; i < N; i++) pthread_create(&t[i], 0, f, (void *)i);
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  return grid[1][1];
}
