// BUG: races
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int *vec; int n, cap;
static int push(int v) {
  pthread_mutex_lock(&m);
  if (n == cap) {
    int *q = realloc(vec, (cap + 2) * sizeof *q);
    if (!q) { pthread_mutex_unlock(&m); return -1; }
    vec = q; cap += 2;
  }
  vec[n++] = v;
  pthread_mutex_unlock(&m);
  return 0;
}
void *f(void *p) { push(1); push(2); push(3); return 0; }
void *g(void *p) {
  pthread_mutex_lock(&m);
  int *q = vec, k = n, s = 0;
#ifdef BUG
  pthread_mutex_unlock(&m);
  for (int i = 0; i < k; i++) s += q[i];
#else
  for (int i = 0; i < k; i++) s += q[i];
  pthread_mutex_unlock(&m);
#endif
  return (void *)(long)s;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
