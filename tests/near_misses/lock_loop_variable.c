// BUG: races
#include <pthread.h>

struct bank { pthread_mutex_t m; int v; } bk[2];
void *f(void *p) {
  struct bank *b = &bk[0];
  pthread_mutex_lock(&b->m);
  b->v++;
  struct bank *n = b + 1;
#ifdef BUG
  pthread_mutex_unlock(&b->m);
  b = n;
  b->v++;
#else
  pthread_mutex_unlock(&b->m);
  b = n;
  pthread_mutex_lock(&b->m);
  b->v++;
  pthread_mutex_unlock(&b->m);
#endif
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_mutex_init(&bk[0].m, 0); pthread_mutex_init(&bk[1].m, 0);
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
