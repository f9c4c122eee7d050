"""Proofs by locksets do not rest on something that surely happens being assumed away."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import lowered
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded

MAIN = """
int main(void) {
    pthread_t a, b;
    p = malloc(sizeof *p + 4 * sizeof(int));
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, f, 0);
    return 0;
}
"""
HEAD = """
#include <pthread.h>
#include <stdlib.h>
int x;
struct text { int length; int data[1]; } *p;
"""


@pytest.mark.parametrize(
    "steps",
    [
        "*(volatile int *)0x4000 = 1; x = 1;",
        "int *device = (int *)0x4000; int k = *device; x = k;",
        "p->data[2] = 1;",
    ],
)
def test_what_follows_an_address_or_an_index_is_not_unreachable(steps: str) -> None:
    """Threads that race after, or by, what C leaves to others: SAFE once."""
    program = lowered(f"{HEAD} void *f(void *arg) {{ {steps} return 0; }} {MAIN}")
    options = CheckOptions(properties=("races",), engine="locksets")
    (found,) = check_loaded("t.c", lambda: program, options, in_process=True).properties
    assert found.verdict.value == "UNKNOWN"


GIVEN = """
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct job { int v; };
_Thread_local struct job *mine;
void down(int n) { if (n) down(n - 1); else { LAST } }
void *f(void *arg) { struct job *job = arg; job->v = 1; return 0; }
int main(void) {
    pthread_t t;
    mine = malloc(sizeof *mine);
    mine->v = 0;
    pthread_create(&t, 0, f, mine);
    down(1);
    AFTER
    return 0;
}
"""


@pytest.mark.parametrize(
    ("last", "after", "verdict"),
    [
        ("", "", "SAFE"),
        ("mine->v = 2;", "", "UNKNOWN"),
        ("if (__VERIFIER_nondet_int()) mine = 0;", "if (mine) mine->v = 2;", "UNKNOWN"),
    ],
)
def test_what_was_given_away_is_not_used_in_procedures(
    last: str, after: str, verdict: str
) -> None:
    """The object was a new thread's own, and a procedure that is called used it: SAFE once."""
    program = lowered(GIVEN.replace("LAST", last).replace("AFTER", after))
    options = CheckOptions(properties=("races",), engine="locksets")
    (found,) = check_loaded("t.c", lambda: program, options, in_process=True).properties
    assert found.verdict.value == verdict
