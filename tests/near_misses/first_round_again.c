// BUG: races
#include <pthread.h>

struct job { pthread_t id; int n; } jobs[4];
int first;
void *f(void *p) { __atomic_load_n(&((struct job *)p)->n, __ATOMIC_SEQ_CST); return (void *)(long)first; }
int main(void) {
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 2; i++) {
      if (i == 0) first = round;
      pthread_create(&jobs[2 * round + i].id, 0, f, &jobs[2 * round + i]);
    }
#ifndef BUG
    for (int i = 0; i < 2; i++) pthread_join(jobs[2 * round + i].id, 0);
#endif
  }
#ifdef BUG
  for (int i = 0; i < 4; i++) pthread_join(jobs[i].id, 0);
#endif
  return 0;
}
