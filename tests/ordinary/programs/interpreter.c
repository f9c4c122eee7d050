/* Interpreter with computed goto, one per thread. */
#include <pthread.h>
#include <stdio.h>
enum { PUSH, ADD, MUL, OUT, HALT };
static int results[2]; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int total;
static int execute(const int *pc)
{
    static const void *const ops[] = { &&push, &&add, &&mul, &&out, &&halt };
    int stack[8], *sp = stack;
#define NEXT goto *ops[*pc++]
    NEXT;
push: *sp++ = *pc++; NEXT;
add: sp--; sp[-1] += sp[0]; NEXT;
mul: sp--; sp[-1] *= sp[0]; NEXT;
out: pthread_mutex_lock(&m); total += sp[-1]; pthread_mutex_unlock(&m); NEXT;
halt: return sp[-1];
}
static const int code0[] = { PUSH, 2, PUSH, 3, ADD, OUT, HALT }, code1[] = { PUSH, 2, PUSH, 5, MUL, OUT, HALT };
static void *run(void *arg) { int n = *(int *)arg; results[n] = execute(n ? code1 : code0); return NULL; }
int main(void)
{
    pthread_t t[2]; int n[2] = { 0, 1 };
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, run, &n[i]);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    printf("%d %d %d\n", results[0], results[1], total);
    return 0;
}
