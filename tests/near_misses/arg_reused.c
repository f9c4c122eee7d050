// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct job { int id; int out; };
void *f(void *p) { struct job *j = p; j->out = j->id; return 0; }
int main(void) {
  pthread_t a, b;
  struct job *j = malloc(sizeof *j);
  if (!j) return 1;
  j->id = 1;
  pthread_create(&a, 0, f, j);
#ifndef BUG
  j = malloc(sizeof *j);
  if (!j) return 1;
#endif
  j->id = 2;
  pthread_create(&b, 0, f, j);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
