// BUG: races
#include <pthread.h>

typedef void (*cb)(void *);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct ent { cb fn; void *arg; } ents[2];
int nent, stat_;
static void on_a(void *arg) { *(int *)arg += 1; }
static void on_b(void *arg) { *(int *)arg -= 1; }
static void fire(void) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&m);
    struct ent e = ents[i];
#ifdef BUG
    pthread_mutex_unlock(&m);
    if (e.fn) e.fn(e.arg);
#else
    if (e.fn) e.fn(e.arg);
    pthread_mutex_unlock(&m);
#endif
  }
}
static void reg(cb fn, void *arg) {
  pthread_mutex_lock(&m);
  if (nent < 2) { ents[nent].fn = fn; ents[nent].arg = arg; nent++; }
  pthread_mutex_unlock(&m);
}
void *f(void *p) { reg(on_a, &stat_); fire(); return 0; }
void *g(void *p) { reg(on_b, &stat_); fire(); return 0; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
