"""The meaning of expressions and places in the reference semantics."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.semantics import expressions as samples
from tests.unit.semantics.running import Run, model
from threadwise.core.errors import InternalError
from threadwise.ir.expr import (
    AtLabel,
    Binary,
    BinaryOp,
    Expr,
    FieldPlace,
    IndexPlace,
    Quantified,
    Quantifier,
    Read,
    Scope,
    SelfId,
    ThreadAt,
    ThreadRead,
    ThreadVariable,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import number
from threadwise.ir.program import Program
from threadwise.ir.properties import InvariantProperty
from threadwise.ir.types import MUTEX, NONE, TID, Value
from threadwise.semantics.evaluate import CellRef, Region, Undefined, View
from threadwise.semantics.step import Interpreter


def view(program: Program, thread: int, seen: list[CellRef] | None = None) -> View:
    """What a thread sees at the start."""
    interpreter = Interpreter(program)
    g = next(interpreter.initial_globals())
    locals_ = tuple(interpreter.initial_local(t) for t in interpreter.threads)
    notice = (lambda _: None) if seen is None else seen.append
    return View(program, interpreter.layout, thread, g, locals_[thread], notice, others=locals_)


@pytest.mark.parametrize(("expr", "value"), samples.expressions(), ids=str)
def test_values(expr: Expr, value: Value) -> None:
    found = view(samples.program(), 2).evaluate(expr)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("expr", samples.undefined(), ids=str)
def test_undefined(expr: Expr) -> None:
    with pytest.raises(Undefined):
        view(samples.program(), 2).evaluate(expr)


def test_every_operator_has_a_case() -> None:
    tested = {op for op, *_ in samples.OPERATIONS}
    assert tested | {BinaryOp.AND, BinaryOp.OR, BinaryOp.IMPLIES} == set(BinaryOp)


def test_reads_are_reported_in_order_and_only_if_made() -> None:
    program = samples.program()
    slots = Interpreter(program).layout.globals.offset
    seen: list[CellRef] = []
    looker = view(program, 2, seen)
    looker.evaluate(samples.element(Binary(BinaryOp.SUB, samples.X, number(6))))
    assert [cell.slot for cell in seen] == [slots["x"], slots["a"] + 1]
    seen.clear()
    is_seven = Binary(BinaryOp.EQ, samples.X, number(7))
    looker.evaluate(Binary(BinaryOp.OR, is_seven, samples.BAD))
    assert [cell.slot for cell in seen] == [slots["x"]]


def test_arrays_per_thread_are_indexed_by_id() -> None:
    program = samples.program()
    seen = program.globals[2].variable
    start = Interpreter(program).layout.globals.offset["seen"]
    for thread in (1, 2, 3):
        place = IndexPlace(VariablePlace(seen), SelfId())
        assert view(program, thread).resolve(place).slot == start + thread - 1
    for stranger in (ThreadAt("u", number(0)), Read(_owner())):
        with pytest.raises(Undefined):
            view(program, 1).resolve(IndexPlace(VariablePlace(seen), stranger))


def _owner() -> FieldPlace:
    return FieldPlace(VariablePlace(Variable("m", MUTEX, Scope.GLOBAL)), "owner")


def test_mutex_reads_as_its_owner() -> None:
    assert view(samples.program(), 1).evaluate(Read(_owner())) == NONE


def test_regions() -> None:
    program = model("int x; thread t { int r; r = x; } invariant i: forall a: t. a.r == 0;")
    looker = view(program, 0)
    shared = VariablePlace(program.globals[0].variable)
    kept = VariablePlace(program.templates[0].variables[0].variable)
    assert looker.resolve(shared).region is Region.GLOBAL
    assert looker.resolve(kept).region is Region.THREAD
    with pytest.raises(InternalError):
        looker.address_of(kept)


THREADS = """
int[0..3] x;
thread t[2] { int[0..3] r; L: r = 1; M: r = 2; }
thread u { int[0..3] r; r = 3; }
invariant mentions: forall i: t, j: u. i.r == j.r;
"""


def formula(text: str) -> tuple[Program, Expr]:
    program = model(f"{THREADS} invariant wanted: {text};")
    wanted = next(p for p in program.properties if p.name == "wanted")
    assert isinstance(wanted, InvariantProperty)
    return program, wanted.formula


@pytest.mark.parametrize(
    ("text", "at_start", "after_one", "after_both"),
    [
        ("forall i: t. at(i, L)", True, False, False),
        ("exists i: t. at(i, L)", True, True, False),
        ("forall i: t. i.r == 0", True, False, False),
        ("exists i: t. i.r == 1", False, True, True),
        ("forall i: t. i.r == 1", False, False, True),
        ("forall i, j: t. i.r == j.r", True, False, True),
        ("forall i, j: t. i != j ==> i.r != j.r", False, True, False),
        ("exists i, j: t. i != j && i.r == j.r", True, False, True),
        ("forall i: t. exists j: t. i != j && j.r == 1", False, False, True),
        ("exists i: t. forall j: t. j.r <= i.r", True, True, True),
        ("forall i: t, j: u. i != j", True, True, True),
        ("(forall i: t. at(i, M)) || x == 0", True, True, True),
    ],
)
def test_quantifiers(text: str, at_start: bool, after_one: bool, after_both: bool) -> None:
    program, _ = formula(text)
    run = Run(program)
    wanted: Any = next(p for p in program.properties if p.name == "wanted")
    values = [run.checker.holds(wanted, run.state)]
    for thread in (0, 1):
        run.step(thread)
        values.append(run.checker.holds(wanted, run.state))
    assert values == [at_start, after_one, after_both]


def test_bound_variables_are_ids() -> None:
    program = model(THREADS)
    some = ThreadVariable("i", "t")
    is_itself = Binary(BinaryOp.EQ, some, SelfId())
    looker = view(program, 1)
    assert looker.evaluate(Quantified(Quantifier.EXISTS, (some,), is_itself)) is True
    assert looker.evaluate(Quantified(Quantifier.FORALL, (some,), is_itself)) is False
    assert some.type == TID


def test_at_looks_at_the_innermost_frame() -> None:
    run = Run("""
        int[0..1] x;
        void f() { inside: x = 1; }
        thread t { outside: f(); skip; }
        invariant in_f: forall i: t. !at(i, f.inside);
        invariant in_t: forall i: t. !at(i, outside);
    """)
    assert run.violated() == {"in_t"}
    assert run.step(0).violated() == {"in_f"}


def test_thread_locals_stay_visible_across_calls() -> None:
    run = Run("""
        int[0..2] x;
        void f() { int[0..2] r; r = 1; x = r; }
        thread t { int[0..2] r; r = 2; f(); r = 0; }
        invariant two: forall i: t. x == 1 ==> i.r == 2;
    """)
    run.step(0, 0, 0, 0)
    assert run.shared()["x"] == 1
    assert run.own(0)["r"] in (1, 2)
    assert run.violated() == set()


def test_places_of_others_are_read_with_their_own_indices() -> None:
    program = model("""
        int[0..3] x = 2;
        thread t[2] { int[0..3] a[3]; a[1] = 3; }
        invariant i: forall k: t. k.a[1] == 0;
    """)
    wanted = next(p for p in program.properties if p.name == "i")
    assert isinstance(wanted, InvariantProperty)
    body = wanted.formula
    assert isinstance(body, Quantified)
    reads = [part for part in (body.body.left,) if isinstance(part, ThreadRead)]  # type: ignore[union-attr]  # a comparison
    assert len(reads) == 1
    run = Run(program)
    assert run.violated() == set()
    assert run.step(1).violated() == {"i"}


def test_labels_of_other_procedures_do_not_count() -> None:
    program = model("thread t { L: skip; } thread u { L: skip; }")
    some = ThreadVariable("i", "u")
    at_l = AtLabel(some, program.template["t"].body, "L")
    assert view(program, 0).evaluate(Quantified(Quantifier.EXISTS, (some,), at_l)) is False
