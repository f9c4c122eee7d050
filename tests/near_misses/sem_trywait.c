// BUG: races
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

sem_t s; int x;
void *f(void *p) {
  int rc = sem_trywait(&s);
#ifdef BUG
  if (rc == -1 && errno != EAGAIN) return 0;
#else
  if (rc) return 0;
#endif
  x++;
  if (!rc) sem_post(&s);
  return 0;
}
int main(void) {
  pthread_t a, b;
  sem_init(&s, 0, 1);
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
