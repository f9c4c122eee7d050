// BUG: races
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned used; int slot[4];
static int get(void) {
  int r = -1;
  pthread_mutex_lock(&m);
  for (int i = 0; i < 4; i++)
    if (!(used & (1u << i))) { used |= 1u << i; r = i; break; }
  pthread_mutex_unlock(&m);
  return r;
}
static void put(int i) { pthread_mutex_lock(&m); used &= ~(1u << i); pthread_mutex_unlock(&m); }
void *f(void *p) {
  int i = get();
  if (i < 0) return 0;
#ifdef BUG
  put(i);
  slot[i]++;
#else
  slot[i]++;
  put(i);
#endif
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
