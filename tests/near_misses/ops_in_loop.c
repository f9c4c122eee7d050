// BUG: races
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
struct ops { void (*run)(int *); };
void locked(int *p) { pthread_mutex_lock(&m); ++*p; pthread_mutex_unlock(&m); }
void plain(int *p) { ++*p; }
struct ops table[2] = { { locked }, { locked } };
void *f(void *p) {
  for (int i = 0; i < 2; i++) {
    void (*run)(int *) = table[i].run;
    if (run == 0) continue;
    run(&x);
  }
  return 0;
}
int main(void) {
  pthread_t a, b;
#ifdef BUG
  table[1].run = plain;
#else
  table[1].run = 0;
#endif
  pthread_create(&a, 0, f, 0);
  pthread_create(&b, 0, f, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return x;
}
