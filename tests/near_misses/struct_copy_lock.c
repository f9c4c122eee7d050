// BUG: races
#include <pthread.h>
#include <string.h>

struct acct { pthread_mutex_t m; int bal; int *log; };
int log_;
struct acct A = { PTHREAD_MUTEX_INITIALIZER, 10, &log_ };
static void note(struct acct *a) {
  pthread_mutex_lock(&a->m);
  (*a->log)++;
  pthread_mutex_unlock(&a->m);
}
#ifdef BUG
struct acct B;
#endif
void *f(void *p) { note(&A); return 0; }
void *g(void *p) {
#ifdef BUG
  note(&B);
#else
  note(&A);
#endif
  return 0;
}
int main(void) {
  pthread_t a, b;
#ifdef BUG
  memcpy(&B, &A, sizeof A);
#endif
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
