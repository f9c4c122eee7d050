"""Atomic regions begin and end where a path says so, not where the text does."""

from __future__ import annotations

import pytest

from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c
from threadwise.frontends.c.options import COptions

TEXT = """
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
extern _Bool __VERIFIER_nondet_bool(void);
#define begin __VERIFIER_atomic_begin
#define end __VERIFIER_atomic_end
static int x, y = 1;
static void add(void) { int t = x; x = t + 1; }
static void *work(void *p) { %s return 0; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, work, 0);
    pthread_create(&u, 0, work, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(x == 2);
}
"""


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("begin(); add(); end();", "SAFE"),
        ("begin(); add(); pthread_exit(0);", "UNKNOWN"),
        ("add(); begin();", "UNKNOWN"),
        ("_Bool c = __VERIFIER_nondet_bool(); if (c) begin(); add(); if (c) end();", "UNSAFE"),
        ("if (y) begin(); add(); if (y) end();", "SAFE"),
        ("begin(); if (y) goto out; x = 9; out: add(); end();", "SAFE"),
        ("begin(); if (y) goto out; end(); return 0; out: end(); add();", "UNSAFE"),
        ("for (;;) { begin(); if (y) { end(); break; } end(); } add();", "UNSAFE"),
        ("begin(); begin(); end(); add(); end();", "SAFE"),
        ("begin(); end(); end(); add();", "UNKNOWN"),
    ],
)
def test_two_threads(body: str, verdict: str) -> None:
    program = load_c([SourceFile("regions.c", TEXT % body)], COptions()).program
    options = CheckOptions(properties=("assertions",), engine="explicit")
    result = check_loaded("regions.c", lambda: program, options, in_process=True)
    assert result.verdict.value == verdict
