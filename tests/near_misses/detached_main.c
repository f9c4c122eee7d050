// BUG: races
#include <pthread.h>
#include <unistd.h>

int log_; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *p) {
  pthread_mutex_lock(&m);
  log_++;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  pthread_detach(t);
#ifdef BUG
  usleep(100);
  log_ = 3;
#else
  pthread_mutex_lock(&m);
  log_ = 3;
  pthread_mutex_unlock(&m);
#endif
  return 0;
}
