// BUG: races
#include <pthread.h>

struct job { pthread_t id; int n; } jobs[4];
void *f(void *p) { ((struct job *)p)->n++; return 0; }
int main(void) {
  pthread_t id;
  for (int i = 0; i < 3; i++) {
    pthread_create(&id, 0, f, &jobs[i]);
#ifdef BUG
    jobs[i].n = i;
#else
    jobs[i + 1].n = i;
#endif
  }
  return 0;
}
