// BUG: races
#include <pthread.h>

int shared;
void *f(void *p) { shared = 1; return 0; }
int main(int argc, char **argv) {
  pthread_t t;
  int rc = pthread_create(&t, 0, f, 0);
  int wait = 1;
#ifdef BUG
  if (argc > 3) wait = 0;
#endif
  if (rc == 0 && wait) pthread_join(t, 0);
#ifndef BUG
  if (rc) return 1;
#endif
  shared++;
  if (!wait && rc == 0) pthread_join(t, 0);
  return shared;
}
