"""Tallies: what is added, and what their checker refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.unit.semantics.running import model
from threadwise.core.errors import Unsupported
from threadwise.ir.check.validate import validate
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import Binary, BinaryOp, IndexPlace, Read, SelfId, ThreadAt, VariablePlace
from threadwise.ir.fold import number
from threadwise.ir.program import Declaration, Edge, FillValue, Program
from threadwise.ir.text.printer import print_program
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.transformed.tallied import check_tallied
from threadwise.semantics.oracle import explore
from threadwise.transforms.tally import tally

ADDING = """
int[0..9] x; int[0..3] mine; int[0..3] cells[2];
thread a[2] { int[0..3] k; k = 1; x = x + k; cells[1] = cells[1] + 1; assert(x < 4); }
thread b { x = 3 * x; mine = 1; cells[1] = 0; }
"""


def test_integers_that_several_threads_write_have_tallies() -> None:
    after = tally(model(ADDING))
    text = print_program(after)
    assert validate(after) == []
    assert "`$x.a`[self] := `$x.a`[self] + (x + k - x)" in text
    assert "`$x.b`[self] := `$x.b`[self] + (3 * x - x)" in text
    assert "`$cells.1.a`[self] := `$cells.1.a`[self] + (cells[1] + 1 - cells[1])" in text
    assert "mine.b" not in text


def test_tallies_change_nothing_else() -> None:
    program = model(ADDING)
    after = tally(program)
    check_tallied(program, after)
    known = explore(program, program.properties)
    assert known.violated == explore(after, after.properties).violated == {"races", "assert:3"}


@pytest.mark.parametrize(
    "text",
    [
        "int[0..3] x; thread a { x = 1; } thread b { skip; }",
        "int[0..3] x; thread a[2] { havoc x; }",
        "int[0..3] x; int[0..3] c[9]; thread a[2] { x = c[x]; }",
        "int[0..3] x; thread a[9] { x = 1; }",
        "int[0..3] x; thread a[*] { x = 1; }",
        "int[0..3] x; thread a[2] { x = 6 / x; }",
    ],
    ids=["one writer", "any value", "an element", "nine threads", "any number", "no value"],
)
def test_where_there_are_none(text: str) -> None:
    with pytest.raises(Unsupported):
        tally(model(text))


# -- forged programs ----------------------------------------------------------------------------


def changed(program: Program, change: Callable[[Edge, Command], Command]) -> Program:
    """The program with other commands."""

    def edge_(edge: Edge) -> Edge:
        action = edge.action
        return replace(
            edge, action=change(edge, action) if isinstance(action, Command) else action
        )

    return replace(
        program,
        procedures=tuple(
            replace(procedure, edges=tuple(map(edge_, procedure.edges)))
            for procedure in program.procedures
        ),
    )


def is_tally(assignment: Assignment) -> bool:
    target = assignment.target
    return isinstance(target, IndexPlace) and target.index == SelfId()


def on_tallies(change: Callable[[Assignment], Assignment]) -> Callable[[Edge, Command], Command]:
    def applied(_: Edge, action: Command) -> Command:
        told = tuple(change(a) if is_tally(a) else a for a in action.assignments)
        return replace(action, assignments=told)

    return applied


def guarded(edge: Edge, action: Command) -> Command:
    """A guard that reads a tally."""
    for each in action.assignments:
        if is_tally(each):
            return replace(action, guard=Binary(BinaryOp.LT, Read(each.target), number(1)))
    return action


def of_another(each: Assignment) -> Assignment:
    assert isinstance(each.target, IndexPlace)
    return replace(each, target=IndexPlace(each.target.base, ThreadAt("a", number(0))))


def without_value(each: Assignment) -> Assignment:
    return replace(each, value=Binary(BinaryOp.DIV, number(1), Read(each.target)))


def fewer_writes(edge: Edge, action: Command) -> Command:
    return replace(action, assignments=tuple(a for a in action.assignments if is_tally(a)))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (guarded, "tallies change the program"),
        (fewer_writes, "reads something else|tallies change the program"),
        (on_tallies(of_another), "a tally of another thread"),
        (on_tallies(without_value), "may have no value"),
    ],
)
def test_a_forged_program_is_refuted(change: Callable[[Edge, Command], Command], why: str) -> None:
    program = model(ADDING)
    with pytest.raises(Refuted, match=why):
        check_tallied(program, changed(tally(program), change))


def test_reading_what_the_edge_does_not_touch_is_refuted() -> None:
    program = model(ADDING)
    (mine,) = (d.variable for d in program.globals if d.variable.name == "mine")
    forged = changed(
        tally(program), on_tallies(lambda each: replace(each, value=Read(VariablePlace(mine))))
    )
    with pytest.raises(Refuted, match="reads something else"):
        check_tallied(program, forged)


def test_a_tally_of_another_template_is_refuted() -> None:
    program = model(ADDING)
    after = tally(program)
    ghosts = {d.variable.name: d.variable for d in after.globals}
    swapped = IndexPlace(VariablePlace(ghosts["$x.b"]), SelfId())
    forged = changed(
        after,
        lambda edge, action: replace(
            action,
            assignments=tuple(
                replace(a, target=swapped) if is_tally(a) else a for a in action.assignments
            ),
        ),
    )
    with pytest.raises(Refuted, match="a tally of another thread"):
        check_tallied(program, forged)


def test_a_tally_that_starts_with_something_else_is_refuted() -> None:
    program = model(ADDING)
    after = tally(program)
    last = after.globals[-1]
    forged = replace(
        after, globals=(*after.globals[:-1], Declaration(last.variable, FillValue(1)))
    )
    with pytest.raises(Refuted, match="is no tally"):
        check_tallied(program, forged)
