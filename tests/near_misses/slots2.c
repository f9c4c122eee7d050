// BUG: races
#include <pthread.h>

#define N 4
int slot[N + 1];
struct arg { int id; pthread_t t; } args[N];
void *f(void *p) {
  struct arg *a = p;
  int id = a->id, k;
#ifdef BUG
  k = ((id + 1) & 3) & ~1;
#else
  k = (id + 1) % 4;
#endif
  if (k < 0 || k > N) return 0;
  for (int i = 0; i < 2; i++) slot[k] += i;
  return 0;
}
int main(void) {
  for (int i = 0; i < N; i++) { args[i].id = i; pthread_create(&args[i].t, 0, f, &args[i]); }
  for (int i = 0; i < N; i++) pthread_join(args[i].t, 0);
  int s = 0;
  for (int i = 0; i < N; i++) s += slot[i];
  return s > 100;
}
