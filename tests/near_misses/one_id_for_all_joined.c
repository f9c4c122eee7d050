// BUG: races
#include <pthread.h>

struct job { pthread_t id; int n; } jobs[4];
void *f(void *p) { ((struct job *)p)->n++; return 0; }
int main(void) {
  pthread_t id;
  for (int i = 0; i < 4; i++) pthread_create(&id, 0, f, &jobs[i]);
  pthread_join(id, 0);
#ifdef BUG
  return jobs[2].n;
#else
  return jobs[3].n;
#endif
}
