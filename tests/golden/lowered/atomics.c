#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int count = 1;
_Atomic unsigned char small;
atomic_flag taken = ATOMIC_FLAG_INIT;
struct pair { int a, b; } _Atomic both;
int plain, seen;
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

void __VERIFIER_atomic_add(int n) { plain += n; seen++; }

void *work(void *none)
{
    count++;
    small += 200;
    int expected = 2;
    if (!atomic_compare_exchange_strong(&count, &expected, 5))
        atomic_fetch_sub_explicit(&count, 2, memory_order_relaxed);
    while (atomic_flag_test_and_set(&taken))
        ;
    atomic_flag_clear(&taken);
    __VERIFIER_atomic_add(2);
    __sync_fetch_and_add(&plain, 1);
    atomic_thread_fence(memory_order_seq_cst);
    return none;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    __VERIFIER_atomic_begin();
    if (plain > 1)
        plain = 0;
    else
        seen = plain;
    __VERIFIER_atomic_end();
    int any = __VERIFIER_nondet_int();
    __VERIFIER_assume(any > 3 && any < 9);
    struct pair now = both;
    now.a = atomic_load_explicit(&count, memory_order_acquire);
    both = now;
    __atomic_store_n(&seen, any, __ATOMIC_RELEASE);
    assert(atomic_exchange(&count, 0) != 77);
    return __builtin_popcount(seen) + small;
}
