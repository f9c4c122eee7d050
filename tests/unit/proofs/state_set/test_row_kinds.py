"""Invariants in one row of each kind, against the reference semantics in every row."""

from __future__ import annotations

from itertools import product

import pytest

from tests.unit.semantics.running import model
from threadwise.ir.expr import Quantified
from threadwise.ir.program import LocId, Program
from threadwise.ir.properties import InvariantProperty
from threadwise.proofs.state_set import kind_sets, row_kinds
from threadwise.proofs.state_set.row_kinds import RowKinds
from threadwise.proofs.state_set.table import Columns, StateTable
from threadwise.proofs.state_set.vector_formulas import FormulaEvaluator
from threadwise.semantics.evaluate import Undefined
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import GlobalStore, LocalStore, State
from threadwise.semantics.step import Interpreter

FORMULAS = (
    "x <= 1",
    "forall i: t. a[i] <= x",
    "forall i: t. i.r == x",
    "forall i, j: t. a[i] == a[j] || i.r <= x",
    "forall i: t. a[i] == 0 || at(i, L) || i.r != 1",
    "forall i, j: t. i != j ==> !(at(i, L) && at(j, L))",
    "forall i, j: t. i != j ==> i.r != j.r || at(i, M)",
    "forall i: t. at(i, L) ==> o == i",
    "forall i: t. 2 / (1 - x) >= 0",
    "forall i: t. b[i.r] == 0",
    "forall i: t. exists j: t. i != j && i.r <= j.r",
    "exists i: t. at(i, M) && x == 0",
    "exists i, j: t. i != j && a[i] == a[j]",
    "(forall i: t. at(i, L)) || (forall j: t. j.r <= x)",
    "forall i: t, k: u. i.r == k.s || at(k, N)",
    "forall i: t. x == 1 ? at(i, L) : i.r == 0",
)


def program_with(formula: str) -> Program:
    return model(f"""
        int[0..2] x; int[0..1] a[t]; int[0..1] b[2]; tid o;
        thread t[2] {{ int[0..2] r; L: x = 1; M: r = x; }}
        thread u {{ int[0..1] s; N: s = 1; }}
        invariant it: {formula};
    """)


def some_states(program: Program) -> list[State]:
    """Many states, reachable or not: what a formula reads takes all its values in them."""
    ids = {
        name: [l.id for l in program.procedure[program.template[name].body].locations]
        for name in ("t", "u")
    }
    tails = tuple(product((0, 1), (0, 1), (0, 1), (0, 1), (-1, 0, 1, 2)))
    found: list[State] = []
    for x, (first, second), r in product(
        (0, 1, 2), product(ids["t"], repeat=2), product((0, 1, 2), repeat=2)
    ):
        *cells, o = tails[len(found) * 7 % len(tails)]
        third = ids["u"][len(found) % len(ids["u"])]
        locals_ = (
            store_of(program, "t", first, r[0]),
            store_of(program, "t", second, r[1]),
            store_of(program, "u", third, x % 2),
        )
        found.append(State(GlobalStore((x, *cells, o)), locals_, ((), (), ())))
    return found


def store_of(program: Program, template: str, pc: LocId, value: int) -> LocalStore:
    """A thread's variable is kept across calls if the formula reads it."""
    kept = bool(program.template[template].variables)
    return LocalStore(pc, (value,) if kept else (), () if kept else (value,))


def values(program: Program, states: list[State]) -> list[bool] | None:
    """The formula in each state, or None if it has no value in one of them."""
    interpreter = Interpreter(program)
    (checked,) = (p for p in program.properties if isinstance(p, InvariantProperty))
    table = StateTable.of(states, Columns(program, interpreter.layout))
    try:
        return [bool(v) for v in FormulaEvaluator(interpreter).holds(checked.formula, table)]
    except Undefined:
        return None


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("rows", [0, 1, 4])
def test_kinds_change_no_answer(formula: str, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_kinds, "ROWS_PER_KIND", rows)
    program = program_with(formula)
    states = some_states(program)
    checker = PropertyChecker(Interpreter(program))
    (checked,) = (p for p in program.properties if isinstance(p, InvariantProperty))
    expected = [not checker.violated(checked, state) for state in states]
    found = values(program, states)
    if found is None:
        assert not all(expected)  # what has no value is violated
        states = [state for state, holds in zip(states, expected, strict=True) if holds]
        found, expected = values(program, states), [True] * len(states)
    assert found == expected


def always(program: Program, states: list[State]) -> bool | None:
    """Whether the formula is true in all states, asked of a row of each kind; None: not asked."""
    interpreter = Interpreter(program)
    (checked,) = (p for p in program.properties if isinstance(p, InvariantProperty))
    table = StateTable.of(states, Columns(program, interpreter.layout))
    try:
        return FormulaEvaluator(interpreter).holds_always(checked.formula, table, lambda: None)
    except Undefined:
        return False


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("size", [1, 7, 64, 1 << 18])
def test_sets_of_rows_agree_with_the_semantics(
    formula: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kind_sets, "_SLICE", 8 * size)
    program = program_with(formula)
    states = some_states(program)
    checker = PropertyChecker(Interpreter(program))
    (checked,) = (p for p in program.properties if isinstance(p, InvariantProperty))
    good = [state for state in states if not checker.violated(checked, state)]
    bad = [state for state in states if checker.violated(checked, state)]
    asked = always(program, states) is not None
    assert asked == ("exists" not in formula and not formula.startswith("("))
    if asked:
        assert always(program, good)
        assert always(program, []) is True
        for state in bad[:: len(bad) // 9 + 1]:  # alone among good ones, in front and behind
            assert always(program, [state, *good]) is False
            assert always(program, [*good, state]) is False


def test_many_contents_are_no_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_with("forall i: t. i.r == x")
    states = some_states(program)
    monkeypatch.setattr(kind_sets, "MOST_CONTENTS", 2)
    assert always(program, states) is None
    monkeypatch.undo()
    monkeypatch.setattr(kind_sets, "MOST_KINDS", 8)
    assert always(program, states) is None


def test_formulas_are_evaluated_once_for_each_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a program with many threads takes long to check."""
    monkeypatch.setattr(row_kinds, "ROWS_PER_KIND", 1)
    program = program_with("forall i, j: t. i != j ==> !(at(i, L) && at(j, L))")
    states = some_states(program)
    sizes: list[int] = []
    evaluate = FormulaEvaluator.evaluate

    def noting(self, expr, batch):  # type: ignore[no-untyped-def]
        sizes.append(len(batch))
        return evaluate(self, expr, batch)

    monkeypatch.setattr(FormulaEvaluator, "evaluate", noting)
    values(program, states)
    assert sizes[0] == len(states)
    assert max(sizes[1:]) <= 9  # two threads at three locations


def test_what_is_not_listed_has_no_kinds() -> None:
    program = program_with("forall i: t. exists j: t. i.r <= j.r")
    interpreter = Interpreter(program)
    columns = Columns(program, interpreter.layout)
    table = StateTable.of(some_states(program), columns)
    (checked,) = (p for p in program.properties if isinstance(p, InvariantProperty))
    assert isinstance(checked.formula, Quantified)
    kinds = RowKinds(checked.formula.body, interpreter.layout, columns, table.column)
    assert kinds.with_threads({"i": 0}) is None
