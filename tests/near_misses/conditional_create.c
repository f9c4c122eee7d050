// BUG: races
#include <pthread.h>

int x;
void *f(void *p) { x++; return 0; }
int main(int argc, char **argv) {
  pthread_t a, b; int na = 0, nb = 0;
  if (argc > 1) { pthread_create(&a, 0, f, 0); na = 1; }
#ifdef BUG
  if (argc > 2)
#else
  if (argc <= 1)
#endif
  { pthread_create(&b, 0, f, 0); nb = 1; }
  if (na) pthread_join(a, 0);
  if (nb) pthread_join(b, 0);
  return x;
}
