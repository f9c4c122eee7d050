"""Atomic records are read and written in one step; initialising an atomic object is plain."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked

PROGRAM = """
#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>
struct pair { int a, b; };
_Atomic struct pair x;
struct pair plain = { 1, 1 };
atomic_int n;
void same(struct pair p) { assert(p.a == p.b); }
void *work(void *unused) { FIRST; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    SECOND;
    pthread_join(t, 0);
    return 0;
}
"""


def found(first: str, second: str, name: str) -> str:
    text = PROGRAM.replace("FIRST", first).replace("SECOND", second)
    return checked(text, name).verdict.value


@pytest.mark.parametrize(
    "second",
    [
        "struct pair q = x; same(q)",
        "struct pair q; q = x; same(q)",
        "same(x)",
        "same(atomic_load(&x))",
    ],
)
def test_nobody_sees_half_a_record(second: str) -> None:
    """A wrong UNSAFE once: such records were copied cell by cell, and raced."""
    assert found("x = plain", second, "assertions") == "SAFE"
    assert found("x = plain", second, "races") == "SAFE"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("x = plain", "plain.b = 2"),
        ("plain = x", "int y = plain.a"),
        ("n = 1", "atomic_init(&n, 2)"),
    ],
)
def test_the_other_side_is_a_plain_access(first: str, second: str) -> None:
    """A wrong SAFE once for `atomic_init`, which C calls no atomic access."""
    assert found(first, second, "races") == "UNSAFE"
