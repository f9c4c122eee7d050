// BUG: races
#include <pthread.h>

struct job { pthread_t id; int n; } jobs[4];
int first;
void *g(void *p) { return (void *)(long)first; }
void *f(void *p) {
#ifdef BUG
  pthread_t late;
  pthread_create(&late, 0, g, 0);
#else
  g(p);
#endif
  return 0;
}
int main(void) {
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 2; i++) {
      if (i == 0) first = round;
      pthread_create(&jobs[i].id, 0, f, &jobs[i]);
    }
    for (int i = 0; i < 2; i++) pthread_join(jobs[i].id, 0);
  }
  return 0;
}
