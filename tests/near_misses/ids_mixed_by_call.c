// BUG: races
#include <pthread.h>

struct job { pthread_t id; int n; } jobs[4];
void *f(void *p) { ((struct job *)p)->n++; return 0; }
void mix(int n) {
  if (n > 0) mix(n - 1);
#ifdef BUG
  jobs[n].id = jobs[0].id;
#else
  jobs[n].n = 0;
#endif
}
int main(void) {
#ifndef BUG
  mix(3);
#endif
  for (int i = 0; i < 4; i++) pthread_create(&jobs[i].id, 0, f, &jobs[i]);
#ifdef BUG
  mix(3);
#endif
  int sum = 0;
#ifdef BUG
  pthread_join(jobs[1].id, 0);
#else
  for (int i = 0; i < 4; i++) pthread_join(jobs[i].id, 0);
#endif
  for (int i = 0; i < 4; i++) sum += jobs[i].n;
  return sum;
}
