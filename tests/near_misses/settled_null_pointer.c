// BUG: races
#include <pthread.h>

struct job { pthread_t id; int n; } jobs[4];
int count = 4;
int *adjusted;
void *f(void *p) {
  ((struct job *)p)->n++;
  if (adjusted) __atomic_store_n(adjusted, 1, __ATOMIC_SEQ_CST);
  return 0;
}
int main(int argc, char **argv) {
#ifdef BUG
  adjusted = &count;
#endif
  for (int i = 0; i < count; i++) pthread_create(&jobs[i].id, 0, f, &jobs[i]);
  for (int i = 0; i < count; i++) pthread_join(jobs[i].id, 0);
  return jobs[3].n;
}
