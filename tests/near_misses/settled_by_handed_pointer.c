// BUG: races
#include <pthread.h>

struct job { pthread_t id; int n; int *limit; } jobs[4];
int count = 4;
void *f(void *p) {
  struct job *j = p;
  j->n++;
  if (j->limit) __atomic_store_n(j->limit, 2, __ATOMIC_SEQ_CST);
  return 0;
}
int main(int argc, char **argv) {
  for (int i = 0; i < count; i++) {
#ifdef BUG
    jobs[i].limit = i == 3 ? &count : 0;
#else
    jobs[i].limit = 0;
#endif
    pthread_create(&jobs[i].id, 0, f, &jobs[i]);
  }
  for (int i = 0; i < count; i++) pthread_join(jobs[i].id, 0);
  return jobs[3].n;
}
