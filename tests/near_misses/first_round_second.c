// BUG: races
#include <pthread.h>

struct job { pthread_t id; int n; } jobs[4];
int first;
void *f(void *p) { ((struct job *)p)->n += first; return 0; }
int main(void) {
  for (int i = 0; i < 4; i++) {
#ifdef BUG
    if (i <= 1) first = 1;
#else
    if (i <= 0) first = 1;
#endif
    pthread_create(&jobs[i].id, 0, f, &jobs[i]);
  }
  for (int i = 0; i < 4; i++) pthread_join(jobs[i].id, 0);
  return 0;
}
