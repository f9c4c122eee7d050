// BUG: races
#include <pthread.h>
#include <stdlib.h>

#define N 3
struct job { int lo, hi; int *sum; };
void *f(void *p) { struct job *j = p; for (int i = j->lo; i < j->hi; i++) j->sum[i] = i; return 0; }
int main(void) {
  pthread_t t[N]; struct job *js = calloc(N, sizeof *js);
  int *sum = calloc(2 * N + 1, sizeof *sum);
  if (!js || !sum) return 1;
  for (int i = 0; i < N; i++) {
    js[i].lo = 2 * i; js[i].sum = sum;
#ifdef BUG
    js[i].hi = 2 * i + 3;
#else
    js[i].hi = 2 * i + 2;
#endif
    pthread_create(&t[i], 0, f, &js[i]);
  }
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  return sum[0];
}
