// BUG: races
#include <pthread.h>

#define N 2
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct buf { int v; } bufs[N]; struct buf *freeb[N + 2]; int nfree;
static struct buf *get(void) { struct buf *b = 0; pthread_mutex_lock(&m); if (nfree > 0) b = freeb[--nfree]; pthread_mutex_unlock(&m); return b; }
static void put(struct buf *b) { pthread_mutex_lock(&m); freeb[nfree++] = b; pthread_mutex_unlock(&m); }
void *f(void *p) {
  struct buf *b = get();
  if (!b) return 0;
  b->v++;
  put(b);
#ifdef BUG
  if (p) put(b);
#endif
  return 0;
}
int main(void) {
  pthread_t a, b, c;
  for (int i = 0; i < N; i++) put(&bufs[i]);
  pthread_create(&a, 0, f, &nfree); pthread_join(a, 0);
  pthread_create(&b, 0, f, 0); pthread_create(&c, 0, f, 0);
  pthread_join(b, 0); pthread_join(c, 0);
  return 0;
}
