"""Code behind something that surely has no meaning in C is not unreachable."""

from __future__ import annotations

import pytest

from tests.every_engine import verdicts

HEAD = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct S { int *p; int n; struct S *next; void (*f)(void); };
int x, a[2], zero, *none;
struct S *nobody;
void (*nothing)(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
void here(void) {}
void (*some)(void) = here;
"""
MAIN = """
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
"""
WITHOUT_MEANING = {
    "pointer never written": "struct S *s = malloc(sizeof *s); int k = *s->p;",
    "pointer never written, store": "struct S *s = malloc(sizeof *s); *s->p = 1;",
    "number never written": "struct S *s = malloc(sizeof *s); int k = s->n; a[0] = k;",
    "member never written": "struct S *s = malloc(sizeof *s); s->n = 1; a[0] = *s->next->p;",
    "element never written": "int *b = malloc(2 * sizeof *b); b[0] = 1; a[0] = b[1];",
    "local never written": "int *p; *p = 1;",
    "null": "int *p = 0; *p = 1;",
    "null, tested": "int *p = none; if (!p) *p = 1;",
    "null by a function": "struct S *s = nobody; s->n = 1;",
    "null in a global": "*none = 1;",
    "null in a member": "struct S *s = calloc(1, sizeof *s); a[0] = *s->p;",
    "division": "a[0] = 1 / zero;",
    "division by a constant": "a[0] = 1 % 0;",
    "shift": "a[0] = 1 << (zero - 1);",
    "index": "a[2] = 1;",
    "index in a variable": "int i = 2; a[i] = 1;",
    "index below": "int i = -1; a[zero + i] = 1;",
    "index behind a pointer": "int *p = a; p += 2; *p = 1;",
    "call of null": "void (*g)(void) = 0; g();",
    "call of null in a global": "nothing();",
    "call of null in a member": "struct S *s = calloc(1, sizeof *s); s->f();",
    "freed": "int *p = malloc(sizeof *p); free(p); *p = 1;",
    "freed twice": "int *p = malloc(sizeof *p); free(p); free(p);",
    "free of a variable": "int *p = a; free(p);",
    "unreachable": "__builtin_unreachable();",
    "unlock": "pthread_mutex_unlock(&m);",
    "unlock of what is held for reading": "pthread_rwlock_unlock(&rw);",
    "number as an address": "*(volatile int *)0x4000 = 1;",
}


@pytest.mark.parametrize("statement", WITHOUT_MEANING.values(), ids=WITHOUT_MEANING)
def test_races_and_failures_behind_it_are_not_excluded(statement: str) -> None:
    """Races on x were SAFE behind most of these, by `locksets`, and behind `unlock` by all."""
    text = f"{HEAD} void *f(void *arg) {{ {statement} x++; assert(x > 5); return 0; }} {MAIN}"
    found = verdicts(text, "races", "assertions")
    assert not any("SAFE" in each for each in found.values()), found


def test_what_may_have_a_meaning_is_assumed_to_have_it() -> None:
    """A pointer that may be null, and functions behind such a pointer."""
    body = """
        pthread_mutex_lock(&m);
        struct S *s = malloc(sizeof *s);
        s->p = arg ? &x : 0;
        s->f = arg ? here : 0;
        *s->p = 1;
        s->f();
        pthread_mutex_unlock(&m);
    """
    text = f"{HEAD} void *f(void *arg) {{ {body} return 0; }} {MAIN}".replace("f, 0", "f, a", 1)
    assert verdicts(text, "races", engines=["locksets"]) == {"locksets": ("SAFE",)}


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("if (zero) pthread_mutex_unlock(&m);", "SAFE"),
        ("if (!pthread_mutex_trylock(&m)) {} pthread_mutex_unlock(&m);", "UNKNOWN"),
        ("pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&m);", "UNKNOWN"),
    ],
)
def test_locks_that_may_be_misused_are_assumed_not_to_be(statement: str, verdict: str) -> None:
    """Unless a run misuses them; the assumption must not make what comes next unreachable."""
    text = f"{HEAD} void *f(void *arg) {{ {statement} return 0; }} {MAIN}"
    assert verdicts(text, "races", engines=["explicit"]) == {"explicit": (verdict,)}
