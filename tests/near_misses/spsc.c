// BUG: races
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define N 4
int ring[N];
atomic_uint head, tail;
static int push(int v) {
  unsigned t = atomic_load(&tail);
  if (t - atomic_load(&head) == N) return 0;
#ifdef BUG
  atomic_store(&tail, t + 1);
  ring[t % N] = v;
#else
  ring[t % N] = v;
  atomic_store(&tail, t + 1);
#endif
  return 1;
}
static int pop(int *v) {
  unsigned h = atomic_load(&head);
  if (h == atomic_load(&tail)) return 0;
  *v = ring[h % N];
  atomic_store(&head, h + 1);
  return 1;
}
void *f(void *p) { for (int i = 1; i < 4; i++) push(i); return 0; }
void *g(void *p) { int v, last = 0; for (int i = 0; i < 3; i++) if (pop(&v)) { assert(v > last); last = v; } return 0; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
