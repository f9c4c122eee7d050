"""Sums after joins: proved where they are right, and only there."""

from __future__ import annotations

import pytest

from tests.unit.engines.tallies.proving import assert_not_proved, assert_proved
from threadwise.engines.tallies.tally_proofs import with_tallies

HEAD = """
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void abort(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, o = PTHREAD_MUTEX_INITIALIZER;
#define LOCKED(what) do { pthread_mutex_lock(&m); what; pthread_mutex_unlock(&m); } while (0)
#define OTHER(what) do { pthread_mutex_lock(&o); what; pthread_mutex_unlock(&o); } while (0)
"""
TWO = """
int main(void) {
    pthread_t s, t;
    %s
    pthread_create(&s, 0, f, 0);
    pthread_create(&t, 0, g, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    %s
    return 0;
}
"""
SOME = "n = __VERIFIER_nondet_int(); if (n < 0 || n > 1000) abort();"


def pair(shared: str, f: str, g: str, check: str, before: str = "") -> str:
    """Two threads, and what is asserted once they are joined."""
    bodies = f"void *f(void *v) {{ {f} return 0; }} void *g(void *v) {{ {g} return 0; }}"
    return HEAD + shared + bodies + TWO % (before, f"assert({check});")


LOOP = "for (int i = 0; i < n; i++) LOCKED(%s);"
RIGHT = {
    "sum of parts": pair("int c, n;", LOOP % "c += 2", LOOP % "c--", "c == n", SOME),
    "two variables": pair(
        "unsigned a, b;",
        "while (__VERIFIER_nondet_bool()) LOCKED(a += 3; b += 3);",
        "while (__VERIFIER_nondet_bool()) LOCKED(a--; b--);",
        "a == b",
    ),
    "in turn": HEAD
    + "int c; void *f(void *v) { LOCKED(c++); return 0; }"
    + "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0);"
    + "assert(c == 1); pthread_create(&t, 0, f, 0); pthread_join(t, 0); assert(c == 2); }",
    "in loops": HEAD
    + "int c; void *f(void *v) { LOCKED(c++); return 0; }"
    + "int main(void) { pthread_t t[3];"
    + "for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f, 0);"
    + "for (int i = 0; i < 3; i++) pthread_join(t[i], 0); assert(c == 3); }",
    "elements": pair(
        "int a[2] = {5, 5};",
        "int k = __VERIFIER_nondet_int(); LOCKED(a[0] -= k; a[1] += k);",
        "int k = __VERIFIER_nondet_int(); LOCKED(a[1] -= k; a[0] += k);",
        "a[0] + a[1] == 10",
    ),
    "one writer each": pair(
        "int a, b, n;",
        "for (int i = 0; i < n; i++) a += 2;",
        "for (int i = 0; i < n; i++) { b++; b++; }",
        "a == b",
        SOME,
    ),
}
WRONG = {
    "no lock": pair(
        "int c, n;", LOOP % "c += 2", "for (int i = 0; i < n; i++) c--;", "c == n", SOME
    ),
    "another lock": pair("int c;", "LOCKED(c++);", "OTHER(c++);", "c == 2"),
    "an early return": pair(
        "int c, n;", "if (n == 7) return 0; LOCKED(c++);", "LOCKED(c++);", "c == 2", SOME
    ),
    "wrap-around": pair("unsigned char c; int n;", LOOP % "c++", LOOP % "c++", "c == 2 * n", SOME),
    "a thread joined twice": HEAD
    + "int c; void *f(void *v) { LOCKED(c++); return 0; }"
    + "int main(void) { pthread_t s, t; pthread_create(&s, 0, f, 0); pthread_create(&t, 0, f, 0);"
    + "pthread_join(s, 0); pthread_join(s, 0); assert(c == 2); }",
    "a thread that is not joined": HEAD
    + "int c; void *f(void *v) { LOCKED(c++); return 0; }"
    + "int main(void) { pthread_t s, t; pthread_create(&s, 0, f, 0); pthread_create(&t, 0, f, 0);"
    + "pthread_join(t, 0); assert(c == 2); }",
    "a join too few": HEAD
    + "int c; void *f(void *v) { LOCKED(c++); return 0; }"
    + "int main(void) { pthread_t t[3];"
    + "for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f, 0);"
    + "for (int i = 0; i < 2; i++) pthread_join(t[i], 0); assert(c == 3); }",
    "a handle overwritten": HEAD
    + "int c; void *f(void *v) { LOCKED(c++); return 0; }"
    + "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_create(&t, 0, f, 0);"
    + "pthread_join(t, 0); assert(c == 2); }",
    "written to afterwards": pair(
        "int c;", "LOCKED(c++);", "LOCKED(c++); LOCKED(c = 1);", "c == 2"
    ),
    "between two sections": HEAD
    + "int a, b; void *f(void *v) { LOCKED(a++); LOCKED(b++); return 0; }"
    + "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); LOCKED(assert(a == b)); }",
    "reset in the middle": pair("int c;", "LOCKED(c++);", "LOCKED(c = 0; c++);", "c == 2"),
}


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_what_is_right_is_proved(text: str) -> None:
    assert_proved(with_tallies, text)


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_not(text: str) -> None:
    assert_not_proved(with_tallies, text)
