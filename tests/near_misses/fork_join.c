// BUG: races
#include <pthread.h>

struct part { int *a; int lo, hi; };
int data[4] = { 3, 1, 2, 0 };
void *sum(void *p) {
  struct part *q = p;
  if (q->hi - q->lo > 1) {
    int mid = (q->lo + q->hi) / 2;
    struct part l = { q->a, q->lo, mid }, r = { q->a, mid, q->hi };
#ifdef BUG
    l.hi = mid + 1;
#endif
    pthread_t t;
    if (q->hi - q->lo == 4) {
      pthread_create(&t, 0, sum, &l);
      sum(&r);
      pthread_join(t, 0);
    } else { for (int i = q->lo; i < q->hi; i++) q->a[i]++; }
  }
  return 0;
}
int main(void) {
  struct part all = { data, 0, 4 };
  sum(&all);
  return data[0];
}
