"""Division by what is no numeral: what is put in its place allows every real result."""

from __future__ import annotations

import pytest

from threadwise.backends.smt.division import without_division
from threadwise.backends.smt.logic import Logic, Term, subterms
from threadwise.backends.smt.solver import Answer, Solver

LOGIC = Logic()
X, Y, R = (LOGIC.constant(name, LOGIC.integer_sort) for name in ("x", "y", "r"))


def possible(term: Term, x: int, y: int, result: int) -> bool:
    (kept,), known = without_division(LOGIC, [term == R])
    whole = LOGIC.conjunction([kept, *known, x == X, y == Y, result == R])
    return Solver(LOGIC).satisfiable(whole) is Answer.SATISFIABLE


@pytest.mark.parametrize("x", range(-4, 5))
@pytest.mark.parametrize("y", [-3, -1, 1, 2, 5])
def test_real_results_stay_possible(x: int, y: int) -> None:
    remainder = x % abs(y)
    assert possible(X % Y, x, y, remainder)
    assert possible(X / Y, x, y, (x - remainder) // y)
    assert possible((X % Y) % Y, x, y, remainder)


def test_something_is_known() -> None:
    assert not possible(X % Y, 7, 3, 3)
    assert not possible(X % Y, 2, 3, 1)
    assert not possible(X / Y, 2, 3, 1)
    assert not possible(X / Y, 7, 3, 8)


def test_numerals_are_left_alone() -> None:
    term = X % 3 == Y
    assert without_division(LOGIC, [term]) == ([term], [])


def test_nothing_is_left() -> None:
    kept, known = without_division(LOGIC, [((X + 1) % Y) / (X % Y) == R])
    kinds = {part.decl().name() for term in (*kept, *known) for part in subterms(term)}
    assert not {"mod", "div"} & kinds
