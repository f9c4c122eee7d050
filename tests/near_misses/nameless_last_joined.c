// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct job { int n, m; };
void *f(void *p) { ((struct job *)p)->n++; return 0; }
int main(int argc, char **argv) {
  struct job *jobs = calloc(argc + 2, sizeof *jobs);
  pthread_t id;
  for (int i = 0; i < argc; i++) pthread_create(&id, 0, f, &jobs[i]);
#ifdef BUG
  pthread_join(id, 0);
  return jobs[0].n;
#endif
  return jobs[argc].n;
  return 0;
}
