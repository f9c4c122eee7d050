// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct job { int n, m; };
void *f(void *p) { ((struct job *)p)->n++; return 0; }
int main(int argc, char **argv) {
  struct job *jobs = calloc(argc + 2, sizeof *jobs);
  pthread_t id;
  for (int i = 0; i < argc; i++) {
    pthread_create(&id, 0, f, &jobs[i]);
#ifdef BUG
    jobs[i].n = i;
#else
    jobs[i + 1].n = i;
#endif
  }
  return 0;
}
