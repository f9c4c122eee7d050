// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct job { int n, m; };
void *f(void *p) { ((struct job *)p)->n++; return 0; }
int main(int argc, char **argv) {
  struct job *jobs = calloc(argc + 2, sizeof *jobs);
  pthread_t id;
#ifdef BUG
  for (int round = 0; round < 2; round++)
#endif
    for (int i = 0; i < argc; i++) pthread_create(&id, 0, f, &jobs[i]);
  return 0;
}
