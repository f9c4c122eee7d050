// BUG: races
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

__thread int mine;
int *_Atomic published;
void *f(void *p) {
  mine = 1;
#ifdef BUG
  published = &mine;
#endif
  for (int i = 0; i < 3; i++) mine += i;
  sleep(1);
  return 0;
}
void *g(void *p) {
  mine = 4;
  int *q = published;
  if (q) *q = 7;
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
