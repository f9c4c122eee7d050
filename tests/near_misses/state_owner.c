// BUG: races
#include <pthread.h>

enum { IDLE, BUSY };
struct slot { int state; int data; } s;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *p) {
  int mine = 0;
  pthread_mutex_lock(&m);
  if (s.state == IDLE) { s.state = BUSY; mine = 1; }
  pthread_mutex_unlock(&m);
  if (!mine) return 0;
  s.data++;
  pthread_mutex_lock(&m);
  s.state = IDLE;
  pthread_mutex_unlock(&m);
#ifdef BUG
  s.data--;
#endif
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
