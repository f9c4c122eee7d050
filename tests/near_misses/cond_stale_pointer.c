// BUG: races
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
struct job { int v; } *cur;
int go;
void *f(void *p) {
  pthread_mutex_lock(&m);
  struct job *j = cur;
  while (!go) pthread_cond_wait(&c, &m);
#ifndef BUG
  j = cur;
#endif
  if (j) j->v = 1;
  pthread_mutex_unlock(&m);
  return 0;
}
void *g(void *p) {
  struct job *old;
  pthread_mutex_lock(&m);
  old = cur;
  cur = 0;
  go = 1;
  pthread_cond_broadcast(&c);
  pthread_mutex_unlock(&m);
  if (old) { old->v = 2; free(old); }
  return 0;
}
int main(void) {
  pthread_t a, b;
  cur = malloc(sizeof *cur);
  if (!cur) return 1;
  cur->v = 0;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
