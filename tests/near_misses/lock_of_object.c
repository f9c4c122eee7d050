// BUG: races
#include <pthread.h>

struct obj { pthread_mutex_t *lock; int val; };
pthread_mutex_t l1 = PTHREAD_MUTEX_INITIALIZER, l2 = PTHREAD_MUTEX_INITIALIZER;
int shared;
struct obj o1, o2;
static void touch(struct obj *o) {
  pthread_mutex_lock(o->lock);
  shared++;
  o->val++;
  pthread_mutex_unlock(o->lock);
}
void *f(void *p) { touch(p); return 0; }
int main(void) {
  pthread_t a, b;
  o1.lock = &l1;
#ifdef BUG
  o2.lock = &l2;
#else
  o2.lock = &l1;
#endif
  pthread_create(&a, 0, f, &o1); pthread_create(&b, 0, f, &o2);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
