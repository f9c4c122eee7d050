// BUG: races
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int res, users;
static int op(int k) {
  int rc = -1;
  pthread_mutex_lock(&m);
  if (k < 0) goto out;
  if (res > 3) {
#ifdef BUG
    pthread_mutex_unlock(&m);
#endif
    goto drop;
  }
  res += k;
  rc = 0;
  goto out;
drop:
  users--;
#ifdef BUG
  return rc;
#endif
out:
  pthread_mutex_unlock(&m);
  return rc;
}
void *f(void *p) { for (int i = 0; i < 4; i++) op(2); return 0; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
