// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct o { pthread_mutex_t m; int v; };
struct o *g_; pthread_mutex_t top = PTHREAD_MUTEX_INITIALIZER;
void *f(void *p) {
  pthread_mutex_lock(&top);
  struct o *o = g_;
#ifdef BUG
  pthread_mutex_unlock(&top);
  if (o) { pthread_mutex_lock(&o->m); o->v++; pthread_mutex_unlock(&o->m); }
#else
  if (o) { pthread_mutex_lock(&o->m); o->v++; pthread_mutex_unlock(&o->m); }
  pthread_mutex_unlock(&top);
#endif
  return 0;
}
void *g(void *p) {
  pthread_mutex_lock(&top);
  struct o *o = g_;
  g_ = 0;
  pthread_mutex_unlock(&top);
  if (o) { pthread_mutex_lock(&o->m); o->v = 0; pthread_mutex_unlock(&o->m); free(o); }
  return 0;
}
int main(void) {
  pthread_t a, b;
  g_ = malloc(sizeof *g_);
  if (!g_) return 1;
  pthread_mutex_init(&g_->m, 0); g_->v = 0;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
