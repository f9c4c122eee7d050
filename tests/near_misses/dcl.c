// BUG: races
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct conf { int a, b; };
struct conf *
#ifndef BUG
_Atomic
#endif
conf;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct conf *get(void) {
  struct conf *c = conf;
  if (!c) {
    pthread_mutex_lock(&m);
    c = conf;
    if (!c) {
      c = malloc(sizeof *c);
      if (c) { c->a = 1; c->b = 2; }
      conf = c;
    }
    pthread_mutex_unlock(&m);
  }
  return c;
}
void *f(void *arg) {
  struct conf *c = get();
  if (c) assert(c->a + c->b == 3);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
