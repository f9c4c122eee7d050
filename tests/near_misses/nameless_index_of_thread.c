// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct job { int n, m; };
void *f(void *p) { ((struct job *)p)->n++; return 0; }
int main(int argc, char **argv) {
  struct job *jobs = calloc(argc + 2, sizeof *jobs);
  pthread_t id;
  for (int i = 0; i < argc; i++) {
#ifdef BUG
    int k = argc - i > 2 ? i : 0;
#else
    int k = i;
#endif
    if (k == 0) jobs[argc].n = 1;
    pthread_create(&id, 0, f, &jobs[k]);
  }
  return 0;
}
