"""One assertion in a critical section fails, another one is proved: nothing comes after a failure.

The critical section is one step of `horn`, which ends with the lock held where the assertion
fails. The proof of the other one, `the lock is free`, says nothing about that state, the last one
of its run; its checker asked for it all the same, and the proof was an internal error.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import threadwise
from threadwise.results.verdict import Verdict

PROGRAM = """#include <pthread.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
short a = -1;
signed char b = 1;
void *f(void *unused)
{
    pthread_mutex_lock(&m);
    FIRST
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    SECOND
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    for (;;) {
        pthread_t t;
        pthread_create(&t, 0, f, 0);
    }
}
"""
CHANGE = "a -= ~a; assert(a % 2 == 0);"
SOMETIMES = "a -= ~a; assert(a % 2 == 0 || __VERIFIER_nondet_int());"


def verdicts(folder: Path, first: str, second: str) -> list[Verdict]:
    path = folder / "failures.c"
    path.write_text(PROGRAM.replace("FIRST", first).replace("SECOND", second))
    asked = threadwise.check(
        path, properties="assertions", engine="horn", time_limit=30, in_process=True
    )
    assert not asked.defects
    return [each.verdict for each in asked.properties]


@pytest.mark.parametrize("second", ["int r = a % 2 == 0; assert(b > 5u == r);", "assert(b == 1);"])
def test_an_assertion_is_proved_beside_one_that_fails(tmp_path: Path, second: str) -> None:
    first, other = verdicts(tmp_path, CHANGE, second)
    assert first is not Verdict.SAFE
    assert other is Verdict.SAFE


def test_what_fails_as_well_is_not_proved(tmp_path: Path) -> None:
    assert Verdict.SAFE not in verdicts(tmp_path, SOMETIMES, "assert(b == 2);")


def test_what_fails_before_is_not_proved(tmp_path: Path) -> None:
    first = "assert(b == 1);"
    assert Verdict.SAFE not in verdicts(tmp_path, first, "assert(a != -1); b = 2;")[1:]
