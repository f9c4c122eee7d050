"""Linear relations that horn guesses from runs: proved where they hold, and only there."""

from __future__ import annotations

import pytest

from tests.unit.frontends.model.loading import load
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c
from threadwise.engines.api import Proved, Task
from threadwise.engines.horn.horn_engine import HornEngine
from threadwise.engines.horn.literals import Sum, is_true
from threadwise.engines.horn.relations import Walks, relations
from threadwise.engines.horn.shapes import (
    constants_of,
)
from threadwise.frontends.c.options import COptions
from threadwise.ir.program import Program
from threadwise.ir.properties import PropertyKind
from threadwise.proofs.base.registry import check_certificate

TEXT = """
#include <pthread.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assert(int);
int a, b;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *p) {
    while (__VERIFIER_nondet_int()) {
        pthread_mutex_lock(&m); a = a + 2; BETWEEN b = b + 1; pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    pthread_mutex_lock(&m);
    __VERIFIER_assert(a == 2 * b);
    pthread_mutex_unlock(&m);
    return 0;
}
"""


def program_of(between: str) -> Program:
    text = TEXT.replace("BETWEEN", between)
    return load_c([SourceFile("t.c", text)], COptions()).program


def is_proved(program: Program) -> bool:
    kept = tuple(p for p in program.properties if p.kind is PropertyKind.ASSERTION)
    task = Task(program, kept, meter=Meter(Budget(steps=20_000)))
    try:
        for finding in HornEngine().run(task):
            if isinstance(finding, Proved):
                check_certificate(program, finding.certificate, lambda: None)
                return True
    except BudgetExhausted:
        pass
    return False


def test_counters_that_grow_together() -> None:
    assert is_proved(program_of(""))


@pytest.mark.slow
def test_the_lock_is_given_back_between() -> None:
    assert not is_proved(program_of("pthread_mutex_unlock(&m); pthread_mutex_lock(&m);"))


def test_relations_of_rows() -> None:
    rows = [[2 * k + 1, k, 7 * (k % 2)] for k in range(5)]
    assert list(relations(rows)) == [({0: 1, 1: -2}, 1)]
    assert not list(relations(rows[:2]))


def test_walks_are_the_same_every_time() -> None:
    program = program_of("")
    assert list(Walks(program).seen) == list(Walks(program).seen)


@pytest.mark.parametrize(("values", "holds"), [([2, 1], True), ([3, 1], False), ([6, 1], True)])
def test_sums_are_one_of_some_numbers(values: list[int], holds: bool) -> None:
    literal = Sum(((0, 1), (1, -2)), (0, 4)).literal()
    assert Sum.of(literal[0]) == Sum(((0, 1), (1, -2)), (0, 4))
    assert is_true((literal,), values) is holds


def test_distances_with_wrap_around() -> None:
    literal = ("distance 255 16", 0, 1)
    assert is_true((literal,), [3, 250])
    assert is_true((literal,), [16, 0])
    assert not is_true((literal,), [17, 0])
    assert not is_true((literal,), [250, 3])


def test_constants_that_tests_imply() -> None:
    program = load("int x; thread t { while (x + 3 <= 90) { x = x + 3; } }")
    assert {90, 87} <= set(constants_of(program))
