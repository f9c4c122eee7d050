// BUG: races
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct conf { int a, b; };
struct conf *_Atomic conf;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct conf *get(void) {
  struct conf *c = conf;
  if (!c) {
    pthread_mutex_lock(&m);
    c = conf;
    if (!c) {
      c = malloc(sizeof *c);
      if (!c) { pthread_mutex_unlock(&m); return 0; }
#ifdef BUG
      conf = c;
#endif
      c->a = 1; c->b = 2;
#ifndef BUG
      conf = c;
#endif
    }
    pthread_mutex_unlock(&m);
  }
  return c;
}
void *f(void *arg) {
  struct conf *c = get();
  int s = 0;
  if (c) s = c->a + c->b;
  return (void *)(long)s;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
