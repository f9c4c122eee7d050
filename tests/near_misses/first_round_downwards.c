// BUG: races
#include <pthread.h>

struct job { pthread_t id; int n; } jobs[4];
int first;
void *f(void *p) { ((struct job *)p)->n += first; return 0; }
int main(void) {
#ifdef BUG
  for (int i = 3; i >= 0; i--) {
#else
  for (int i = 0; i < 4; i++) {
#endif
    if (i == 0) first = 1;
    pthread_create(&jobs[i].id, 0, f, &jobs[i]);
  }
  for (int i = 0; i < 4; i++) pthread_join(jobs[i].id, 0);
  return 0;
}
