// BUG: races
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t *cur = &a;
int x;
void *f(void *p) {
  pthread_mutex_t *l = cur;
  pthread_mutex_lock(l);
  x++;
  pthread_mutex_unlock(l);
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, f, 0);
#ifdef BUG
  pthread_join(s, 0);
  pthread_create(&s, 0, f, 0);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  { pthread_mutex_t *l = &b; pthread_mutex_lock(l); x--; pthread_mutex_unlock(l); }
#else
  { pthread_mutex_t *l = &a; pthread_mutex_lock(l); x--; pthread_mutex_unlock(l); }
#endif
  pthread_create(&t, 0, f, 0);
  pthread_join(s, 0); pthread_join(t, 0);
  return 0;
}
