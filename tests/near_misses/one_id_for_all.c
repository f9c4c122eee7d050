// BUG: races
#include <pthread.h>

struct job { pthread_t id; int n; } jobs[4];
void *f(void *p) { ((struct job *)p)->n++; return 0; }
int main(void) {
  pthread_t id;
  for (int i = 0; i < 4; i++) {
#ifdef BUG
    pthread_create(&id, 0, f, &jobs[i / 2]);
#else
    pthread_create(&id, 0, f, &jobs[i]);
#endif
  }
  return 0;
}
