// BUG: races
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int running = 2, result[2];
void *f(void *p) {
  int *r = p;
  *r = 1;
  pthread_mutex_lock(&m);
  if (--running == 0) pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
#ifdef BUG
  *r = 2;
#endif
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, &result[0]); pthread_create(&b, 0, f, &result[1]);
  pthread_detach(a); pthread_detach(b);
  pthread_mutex_lock(&m);
  while (running) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  return result[0] + result[1];
}
