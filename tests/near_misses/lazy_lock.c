// BUG: races
#include <pthread.h>

struct o { int inited; pthread_mutex_t m; int v; } o;
pthread_mutex_t g_ = PTHREAD_MUTEX_INITIALIZER;
static void ensure(void) {
#ifndef BUG
  pthread_mutex_lock(&g_);
#endif
  if (!o.inited) { pthread_mutex_init(&o.m, 0); o.inited = 1; }
#ifndef BUG
  pthread_mutex_unlock(&g_);
#endif
}
void *f(void *p) { ensure(); pthread_mutex_lock(&o.m); o.v++; pthread_mutex_unlock(&o.m); return 0; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
