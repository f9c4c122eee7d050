// BUG: races
#include <pthread.h>
#include <stdlib.h>

#define N 8
pthread_mutex_t locks[N];
int data[N];
unsigned keys[2] = { 2, 4 };
void *f(void *p) {
  unsigned h = *(unsigned *)p;
#ifdef BUG
  unsigned l = h & 3, d = (h >> 1) & 7;
#else
  unsigned l = h & 3, d = h & 7;
#endif
  pthread_mutex_lock(&locks[l]);
  data[d]++;
  pthread_mutex_unlock(&locks[l]);
  return 0;
}
int main(int argc, char **argv) {
  pthread_t a, b;
  for (int i = 0; i < N; i++) pthread_mutex_init(&locks[i], 0);
  keys[0] = (unsigned)argc * 7; keys[1] = (unsigned)rand();
  pthread_create(&a, 0, f, &keys[0]); pthread_create(&b, 0, f, &keys[1]);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
