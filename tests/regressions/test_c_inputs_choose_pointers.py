"""An input may decide nothing but where a pointer leads.

A few values stand for all of an input, and the simplified program has an edge for each. Audits
compare runs with runs of that program: they used to take the first edge, whatever the value was,
since pointers are not compared, and to refute proofs that are right.
"""

from __future__ import annotations

import pytest

from threadwise.core.budget import Budget
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c_sources
from threadwise.results.verdict import Verdict

BEGIN = """
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
#define INPUT __VERIFIER_nondet_int()
static int x, y, z[3];
static void one(void) { x = 1; }
static void two(void) { y = 1; }
"""
PROGRAMS = {
    "first": ("int *p = INPUT == 42 ? &x : &y; *p = 1; assert(CLAIM);", ("x || y", "y")),
    "second": ("int *p = INPUT == 42 ? &x : &y; *p = 1; assert(CLAIM);", ("!x || !y", "x")),
    "less": ("int *p = INPUT < 7 ? &x : &y; *p = 1; assert(CLAIM);", ("x != y", "x")),
    "twice": (
        "int *p = INPUT == 1 ? &x : &y, *q = INPUT == 2 ? &x : &y; *p += 1; *q += 1;"
        " assert(CLAIM);",
        ("x + y == 2", "x == 1"),
    ),
    "function": ("void (*f)(void) = INPUT > 3 ? one : two; f(); assert(CLAIM);", ("x + y", "x")),
    "element": ("int *p = INPUT ? &z[1] : &z[2]; *p = 5; assert(CLAIM);", ("!z[0]", "z[1]")),
    "record": (
        "struct { int *p; } s = {&x}; if (INPUT == 9) s.p = &y; *s.p = 1; assert(CLAIM);",
        ("x ^ y", "x"),
    ),
    "global": (
        "static int *g; g = INPUT == 5 ? &x : &y; *g = 1; assert(CLAIM);",
        ("x != y", "y"),
    ),
    "three": (
        "int n = INPUT; int *p = n == 1 ? &x : n == 2 ? &y : z; *p = 1; assert(CLAIM);",
        ("x + y + z[0] == 1", "x || y"),
    ),
}
THREAD = """
static void *run(void *p) { *(int *)p = 1; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, run, INPUT == 4 ? &x : &y);
    pthread_join(t, 0);
    assert(CLAIM);
}
"""
CASES = [
    *(
        (f"{BEGIN}int main(void) {{ {body.replace('CLAIM', claim)} }}", right)
        for body, claims in PROGRAMS.values()
        for claim, right in zip(claims, (True, False), strict=True)
    ),
    (BEGIN + THREAD.replace("CLAIM", "x + y == 1"), True),
    (BEGIN + THREAD.replace("CLAIM", "x"), False),
]


def verdicts(text: str, engine: str, *properties: str) -> dict[str, Verdict]:
    """What an engine says; that none of its proofs is refuted is seen to by `conftest`."""
    loaded = load_c_sources([SourceFile("x.c", text)], LoadOptions())
    options = CheckOptions(properties=properties, engine=engine, budget=Budget(steps=50_000))
    result = check_loaded("x.c", lambda: loaded, options, in_process=True)
    return {checked.name: checked.verdict for checked in result.properties}


@pytest.mark.parametrize(("text", "right"), CASES)
def test_the_assertion_and_all_else(text: str, *, right: bool) -> None:
    found = verdicts(text, "explicit", "assertions", "mutex", "races", "memory")
    (claim,) = (name for name in found if name.startswith("assert"))
    assert found.pop(claim) is (Verdict.SAFE if right else Verdict.UNSAFE)
    assert set(found.values()) == {Verdict.SAFE}


@pytest.mark.parametrize(("text", "right"), CASES)
def test_proofs_of_other_kinds(text: str, *, right: bool) -> None:
    del right
    assert set(verdicts(text, "locksets", "races").values()) == {Verdict.SAFE}
