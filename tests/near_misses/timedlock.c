// BUG: races
#include <errno.h>
#include <pthread.h>

#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int count;
void *f(void *p) {
  struct timespec ts;
  clock_gettime(CLOCK_REALTIME, &ts);
  ts.tv_sec += 1;
  int rc = pthread_mutex_timedlock(&m, &ts);
#ifdef BUG
  if (rc == EINVAL) return 0;
#else
  if (rc) return 0;
#endif
  count++;
  if (rc == 0) pthread_mutex_unlock(&m);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
