"""What any number of threads have done once joined: proved where it is right, and only there."""

from __future__ import annotations

import pytest

from tests.unit.engines.tallies.proving import assert_not_proved, assert_proved
from threadwise.engines.tallies.tally_proofs import with_accounts

HEAD = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, o = PTHREAD_MUTEX_INITIALIZER;
#define LOCKED(what) do { pthread_mutex_lock(&m); what; pthread_mutex_unlock(&m); } while (0)
#define OTHER(what) do { pthread_mutex_lock(&o); what; pthread_mutex_unlock(&o); } while (0)
#define CREATE(count) for (int i = 0; i < count; i++) pthread_create(&t[i], 0, f, 0)
#define JOIN(from, count) for (int i = from; i < count; i++) pthread_join(t[i], 0)
"""


def many(shared: str, body: str, check: str, between: str = "", rest: str = "") -> str:
    """Fifty threads, and what is asserted once they are joined."""
    main = f"pthread_t t[50]; CREATE(50); {between} JOIN(0, 50); {rest} assert({check});"
    return HEAD + shared + f"void *f(void *v) {{ {body} return 0; }} int main(void) {{ {main} }}"


def joining(main: str, body: str = "LOCKED(c++);") -> str:
    """Threads that count, created and joined in some way."""
    return HEAD + f"int c; void *f(void *v) {{ {body} return 0; }} int main(void) {{ {main} }}"


RIGHT = {
    "counted": many("int c;", "LOCKED(c++);", "c == 50"),
    "an atomic counter": many("atomic_int c;", "atomic_fetch_add(&c, 2);", "c == 100"),
    "often": many("int c;", "for (int k = 0; k < 9; k++) LOCKED(c += 2);", "c == 900"),
    "wrapping": many("unsigned char c;", "LOCKED(c += 100);", "c == 5000 % 256"),
    "not from zero": many("int c = 7;", "LOCKED(c -= 3);", "c == 7 - 150"),
    "with what main adds": many("int c;", "LOCKED(c++);", "c == 53", "LOCKED(c += 3);"),
    "main alone": many("int c;", "LOCKED(c++);", "c == 100", rest="c = 2 * c;"),
    "by comparing": many(
        "atomic_int c;",
        "int k = c; while (!atomic_compare_exchange_weak(&c, &k, k + 1)) ;",
        "c == 50",
    ),
    "a loop of its own": many(
        "int c;", "int k = 0; for (int i = 0; i < 5; i++) k += 2; LOCKED(c += k);", "c == 500"
    ),
    "the same value": many("int c;", "c = 5;", "c == 5"),
    "one by one": joining(
        "for (int i = 0; i < 50; i++) { pthread_t t; pthread_create(&t, 0, f, 0);"
        "pthread_join(t, 0); assert(c == 0); }",
        "c = 1; assert(c == 1); c = 0;",
    ),
    "two variables": many(
        "int a, b;", "int k = __VERIFIER_nondet_int(); LOCKED(a += k; b += k);", "a == b"
    ),
    "from another element on": joining(
        "pthread_t t[31]; for (int i = 1; i <= 30; i++) pthread_create(&t[i], 0, f, 0);"
        "for (int i = 1; i <= 30; i++) pthread_join(t[i], 0); assert(c == 30);"
    ),
    "an unknown number": joining(
        "pthread_t t[90]; int n = __VERIFIER_nondet_int(); if (n < 0 || n > 90) return 0;"
        "CREATE(n); JOIN(0, n); assert(c == n);"
    ),
}
WRONG = {
    "no lock": many("int c;", "int k = c; c = k + 1;", "c == 50"),
    "another lock": many("int c;", "LOCKED(c++); OTHER(c++);", "c == 100"),
    "two sections": many("int c;", "int k; LOCKED(k = c); LOCKED(c = k + 1);", "c == 50"),
    "compared with another value": many(
        "atomic_int c;",
        "int k = c; if (!atomic_compare_exchange_strong(&c, &k, k + 1)) return 0;",
        "c == 50",
    ),
    "a loop that ends early": many(
        "int c;",
        "int k = 0; for (int i = 0; i < 5; i++) if (__VERIFIER_nondet_int()) k += 2;"
        "LOCKED(c += k);",
        "c == 500",
    ),
    "a transfer in two sections": many(
        "int a = 500, b = 500;",
        "int k = __VERIFIER_nondet_int(); LOCKED(a -= k); LOCKED(assert(a + b == 1000); b += k);",
        "a + b == 1000",
    ),
    "another value": many("int c;", "c = 5; c = 6; c = 5;", "c == 5 && 0"),
    "a value that stays": many("int c;", "if (__VERIFIER_nondet_int()) c = 5;", "c == 5"),
    "one behind": joining(
        "pthread_t s, t; pthread_create(&s, 0, f, 0); for (int i = 0; i < 50; i++) {"
        "pthread_create(&t, 0, f, 0); pthread_join(s, 0); s = t; }",
        "c = 1; assert(c == 1); c = 0;",
    ),
    "an early return": many(
        "int c;", "if (__VERIFIER_nondet_int() == 7) return 0; LOCKED(c++);", "c == 50"
    ),
    "wrap-around": many("unsigned char c;", "LOCKED(c += 100);", "c == 5000"),
    "before the joins": many("int c;", "LOCKED(c++);", "c == 50", "LOCKED(assert(c == 50));"),
    "a join too few": joining("pthread_t t[50]; CREATE(50); JOIN(0, 49); assert(c == 50);"),
    "not the first": joining("pthread_t t[50]; CREATE(50); JOIN(1, 50); assert(c == 50);"),
    "one joined often": joining(
        "pthread_t t[50]; CREATE(50);"
        "for (int i = 0; i < 50; i++) pthread_join(t[0], 0); assert(c == 50);"
    ),
    "a handle overwritten": joining(
        "pthread_t t[50]; CREATE(50); t[3] = t[4]; JOIN(0, 50); assert(c == 50);"
    ),
    "one handle for all": joining(
        "pthread_t t; for (int i = 0; i < 50; i++) pthread_create(&t, 0, f, 0);"
        "for (int i = 0; i < 50; i++) pthread_join(t, 0); assert(c == 50);"
    ),
    "one more afterwards": joining(
        "pthread_t t[50], u; CREATE(50); JOIN(0, 50); pthread_create(&u, 0, f, 0);assert(c == 50);"
    ),
    "a join in one branch": joining(
        "pthread_t t[50]; CREATE(50);"
        "for (int i = 0; i < 50; i++) if (__VERIFIER_nondet_int()) pthread_join(t[i], 0);"
        "assert(c == 50);"
    ),
    "shifted": joining(
        "pthread_t t[51]; t[0] = pthread_self();"
        "for (int i = 0; i < 50; i++) pthread_create(&t[i + 1], 0, f, 0);"
        "JOIN(0, 50); assert(c == 50);"
    ),
    "twice as many in the second round": joining(
        "pthread_t t[50]; CREATE(25); CREATE(50); JOIN(0, 50); assert(c == 75);"
    ),
    "a thread that creates one": HEAD
    + "int c; void *g(void *v) { LOCKED(c++); return 0; }"
    + "void *f(void *v) { pthread_t u; pthread_create(&u, 0, g, 0); LOCKED(c++); return 0; }"
    + "int main(void) { pthread_t t[50]; CREATE(50); JOIN(0, 50); assert(c == 100); }",
}


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_what_is_right_is_proved(text: str) -> None:
    assert_proved(with_accounts, text)


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_not(text: str) -> None:
    assert_not_proved(with_accounts, text)
