// BUG: races

#include <threads.h>
mtx_t m; int x;
int f(void *p) {
#ifdef BUG
  mtx_trylock(&m);
#else
  mtx_lock(&m);
#endif
  x++;
  mtx_unlock(&m);
  return 0;
}
int main(void) { thrd_t a, b; mtx_init(&m, mtx_plain); thrd_create(&a, f, 0); thrd_create(&b, f, 0); thrd_join(a, 0); thrd_join(b, 0); return 0; }
