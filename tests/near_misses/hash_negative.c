// BUG: races
#include <pthread.h>
#include <stdlib.h>

#define N 4
pthread_mutex_t locks[2 * N];
int data[2 * N];
int keys[2];
void *f(void *p) {
  int h = *(int *)p;
#ifdef BUG
  int l = h % N + N, d = abs(h) % N;
#else
  int l = (h % N + N) % N, d = l;
#endif
  pthread_mutex_lock(&locks[l]);
  data[d]++;
  pthread_mutex_unlock(&locks[l]);
  return 0;
}
int main(int argc, char **argv) {
  pthread_t a, b;
  for (int i = 0; i < 2 * N; i++) pthread_mutex_init(&locks[i], 0);
  keys[0] = argc; keys[1] = -argc;
  pthread_create(&a, 0, f, &keys[0]); pthread_create(&b, 0, f, &keys[1]);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
