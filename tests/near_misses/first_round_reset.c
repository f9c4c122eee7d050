// BUG: races
#include <pthread.h>

struct job { pthread_t id; int n; } jobs[4];
int first;
void *f(void *p) { ((struct job *)p)->n += first; return 0; }
int main(int argc, char **argv) {
  int made = 0;
  for (int i = 0; made < 4; i++, made++) {
#ifdef BUG
    if (made == argc) i = 0;
#endif
    if (i == 0) first = argc;
    pthread_create(&jobs[made].id, 0, f, &jobs[made]);
  }
  for (int i = 0; i < 4; i++) pthread_join(jobs[i].id, 0);
  return 0;
}
