// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct job { int n, m; };
void *f(void *p) { ((struct job *)p)->n++; return 0; }
void *g(void *p) {
#ifdef BUG
  ((struct job *)p)[1].n++;
#endif
  return f(p);
}
int main(int argc, char **argv) {
  struct job *jobs = calloc(argc + 2, sizeof *jobs);
  pthread_t id;
  for (int i = 0; i < argc; i++) pthread_create(&id, 0, g, &jobs[i]);
  return 0;
}
