// BUG: races
#include <pthread.h>

struct ops { void (*run)(int); }; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x;
static void a(int k) { pthread_mutex_lock(&m); x += k; pthread_mutex_unlock(&m); }
static void b(int k) { x -= k; }
const struct ops tab[2] = { { a }, { b } };
#ifdef BUG
int mode = 1;
#else
int mode = 0;
#endif
void *f(void *p) { tab[mode].run(2); return 0; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
