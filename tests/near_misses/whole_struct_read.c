// BUG: races
#include <pthread.h>

struct st { int a, b, c; } st;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *p) {
  pthread_mutex_lock(&m);
  st.b++;
  pthread_mutex_unlock(&m);
  return 0;
}
void *g(void *p) {
  struct st copy;
#ifdef BUG
  copy = st;
#else
  pthread_mutex_lock(&m);
  copy = st;
  pthread_mutex_unlock(&m);
#endif
  return (void *)(long)copy.b;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
