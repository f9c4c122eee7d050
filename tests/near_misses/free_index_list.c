// BUG: races
#include <pthread.h>

#define N 3
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct ent { int next; int val; } pool[N];
int first;
static int get(void) {
  pthread_mutex_lock(&m);
  int i = first;
#ifdef BUG
  if (i >= 0 && pool[i].next >= 0)
#else
  if (i >= 0)
#endif
    first = pool[i].next;
  pthread_mutex_unlock(&m);
  return i;
}
static void put(int i) { pthread_mutex_lock(&m); pool[i].next = first; first = i; pthread_mutex_unlock(&m); }
void *f(void *p) { int i = get(); if (i >= 0) pool[i].val++;
#ifndef BUG
 if (i >= 0) put(i);
#endif
 return 0; }
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < N; i++) { pool[i].next = i + 1 < N ? i + 1 : -1; pool[i].val = 0; }
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, f, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  return 0;
}
