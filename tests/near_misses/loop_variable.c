// BUG: races
#include <pthread.h>

#define N 3
int out[N];
void *f(void *p) { int i = *(int *)p; if (i >= 0 && i < N) __atomic_store_n(&out[i], 1, __ATOMIC_SEQ_CST); return 0; }
int main(void) {
  pthread_t t[N]; int ids[N];
  for (int i = 0; i < N; i++) {
    ids[i] = i;
#ifdef BUG
    pthread_create(&t[i], 0, f, &i);
#else
    pthread_create(&t[i], 0, f, &ids[i]);
#endif
  }
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  return 0;
}
