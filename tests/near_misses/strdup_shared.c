// BUG: races
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

char *name; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *p) {
  char *n = strdup("abc");
  pthread_mutex_lock(&m);
  char *o = name; name = n;
  pthread_mutex_unlock(&m);
  free(o);
  return 0;
}
void *g(void *p) {
  size_t l = 0;
  pthread_mutex_lock(&m);
#ifdef BUG
  char *o = name;
  pthread_mutex_unlock(&m);
  if (o) l = strlen(o);
#else
  if (name) l = strlen(name);
  pthread_mutex_unlock(&m);
#endif
  return (void *)l;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0); pthread_t c; pthread_create(&c, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0);
  return 0;
}
