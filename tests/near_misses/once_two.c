// BUG: races
#include <pthread.h>

pthread_once_t o1 = PTHREAD_ONCE_INIT, o2 = PTHREAD_ONCE_INIT;
int table[4];
static void init(void) { for (int i = 0; i < 4; i++) table[i] = i; }
void *f(void *p) { pthread_once(&o1, init); return (void *)(long)table[1]; }
void *g(void *p) {
#ifdef BUG
  pthread_once(&o2, init);
#else
  pthread_once(&o1, init);
#endif
  return (void *)(long)table[2];
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
