// BUG: races
#include <pthread.h>

struct w { int done; int sum; } ws[4];
void *f(void *p) {
  struct w *me = p;
  me->sum++;
#ifdef BUG
  (me + 1)->done = 1;
#endif
  me->done = 1;
  return 0;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f, ws + i);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return 0;
}
