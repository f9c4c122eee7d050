// BUG: races
#include <pthread.h>
#include <semaphore.h>

sem_t full, empty; int buf, out;
void *f(void *p) { for (int i = 0; i < 2; i++) { sem_wait(&empty); buf = i; sem_post(&full); } return 0; }
void *g(void *p) { for (int i = 0; i < 2; i++) { sem_wait(&full); out += buf;
#ifdef BUG
  sem_post(&empty); out += buf;
#else
  sem_post(&empty);
#endif
 } return 0; }
int main(void) {
  pthread_t a, b;
  sem_init(&full, 0, 0); sem_init(&empty, 0, 1);
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
