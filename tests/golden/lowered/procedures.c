#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct pair { int a, b; };
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x;
void __VERIFIER_atomic_add(int n) { x += n; }
static void *grab(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
static void enter(void) { pthread_mutex_lock(&lock); }
static void leave(void) { pthread_mutex_unlock(&lock); }
static struct pair turned(struct pair p, int *count) { int t = p.a; p.a = p.b; p.b = t; ++*count; return p; }
static int early(int n) { if (n > 2) return 1; n *= 2; if (n < 0) return n; return n + x; }
static void nothing(int n) { if (n) return; x = n; }
static int address(int n) { int *p = &n; *p += 1; return n; }
static int again(int n) { top: if (n-- > 3) goto top; return n; }
static void start(pthread_t *t, void *(*f)(void *)) { pthread_create(t, 0, f, 0); }
static void *work(void *p) { enter(); __VERIFIER_atomic_add(2); leave(); return p; }
static int pure(int a, int b) { return a * b; }

int main(void)
{
    pthread_t t;
    struct pair p = { 1, 2 };
    int calls = 0, *cell = grab(sizeof *cell);
    start(&t, work);
    p = turned(turned(p, &calls), &calls);
    *cell = early(x) + address(p.a) + again(9) + pure(x, calls + 1);
    nothing(*cell);
    enter();
    assert(x != 5);
    leave();
    return turned(p, cell).b;
}
