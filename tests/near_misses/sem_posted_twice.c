// BUG: races
#include <pthread.h>
#include <semaphore.h>

sem_t s; int x, err;
static void work(int fail) {
  sem_wait(&s);
  x++;
  if (fail) {
    sem_post(&s);
#ifndef BUG
    return;
#endif
  }
  sem_post(&s);
}
void *f(void *p) { work(p != 0); work(0); return 0; }
int main(void) {
  pthread_t a, b, c;
  sem_init(&s, 0, 1);
  pthread_create(&a, 0, f, &x); pthread_create(&b, 0, f, 0);
  pthread_create(&c, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0);
  return 0;
}
