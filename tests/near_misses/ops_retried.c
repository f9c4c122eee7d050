// BUG: races
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
struct ops { void (*run)(int *); };
void locked(int *p) { pthread_mutex_lock(&m); ++*p; pthread_mutex_unlock(&m); }
void plain(int *p) { ++*p; }
struct ops ops = { locked };
void *f(void *p) {
  void (*run)(int *) = ops.run;
#ifdef BUG
  if (run != plain) run = plain;
#else
  if (run != plain) run = locked;
#endif
  run(&x);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0);
  pthread_create(&b, 0, f, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return x;
}
