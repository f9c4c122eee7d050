// BUG: races
#include <pthread.h>
#include <stdatomic.h>

#ifdef BUG
volatile int stop;
#else
volatile _Atomic int stop;
#endif
int data;
void *f(void *p) { data = 1; stop = 1; return 0; }
void *g(void *p) { while (!stop) ; return (void *)(long)data; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
