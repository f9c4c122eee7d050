// BUG: races
#include <pthread.h>

struct job { pthread_t id; int n; } jobs[4];
int first, i;
void *f(void *p) {
  ((struct job *)p)->n += first;
#ifdef BUG
  __atomic_store_n(&i, 0, __ATOMIC_SEQ_CST);
#endif
  return 0;
}
int main(void) {
  for (int left = 4; left > 0; left--) {
    int now = __atomic_load_n(&i, __ATOMIC_SEQ_CST);
    if (now == 0) first = 1;
    pthread_create(&jobs[4 - left].id, 0, f, &jobs[4 - left]);
    __atomic_store_n(&i, now + 1, __ATOMIC_SEQ_CST);
  }
  for (int k = 0; k < 4; k++) pthread_join(jobs[k].id, 0);
  return 0;
}
