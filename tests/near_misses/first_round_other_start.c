// BUG: races
#include <pthread.h>

struct job { pthread_t id; int n; } jobs[4];
int first;
void *f(void *p) { ((struct job *)p)->n += first; return 0; }
int main(void) {
#ifdef BUG
  pthread_create(&jobs[3].id, 0, f, &jobs[3]);
#endif
  for (int i = 0; i < 3; i++) {
    if (i == 0) first = 1;
    pthread_create(&jobs[i].id, 0, f, &jobs[i]);
  }
#ifndef BUG
  pthread_create(&jobs[3].id, 0, f, &jobs[3]);
#endif
  for (int i = 0; i < 4; i++) pthread_join(jobs[i].id, 0);
  return 0;
}
