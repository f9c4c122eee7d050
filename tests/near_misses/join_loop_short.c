// BUG: races
#include <pthread.h>

#define N 5
int total;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *p) {
  pthread_mutex_lock(&m);
  total += 2;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t[N];
  int n = 0;
  for (int i = 0; i < N; i++)
    if (pthread_create(&t[n], 0, f, 0) == 0) n++;
#ifdef BUG
  n--;
#endif
  for (int i = 0; i < n; i++) pthread_join(t[i], 0);
  total++;
  return total;
}
