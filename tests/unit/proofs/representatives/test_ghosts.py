"""Ghosts that change a program are refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.unit.proofs.transformed.forging import edge_of, with_command, with_edge, without_edge
from tests.unit.semantics.running import model
from threadwise.ir.commands import Assignment
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    Read,
    Scope,
    SelfId,
    ThreadAt,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import number
from threadwise.ir.program import AnyValue, Declaration, Program
from threadwise.ir.types import INT, TID
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.representatives.ghosts import check_ghosts
from threadwise.transforms.ghosts import IdGhost, with_ghosts

BEFORE = model("int[0..3] x, y;\nthread t[*] { int[0..3] r; x = 1; r = x; y = 2; }")
WRITES = edge_of(BEFORE, "x = 1").id
CLEARS = edge_of(BEFORE, "y = 2").id
OTHER = edge_of(BEFORE, "r = x").id
AFTER = with_ghosts(BEFORE, [IdGhost("last", (WRITES,), (CLEARS,)), IdGhost("there", (OTHER,))])
GHOST = Variable("last", TID, Scope.GLOBAL, sync=True)


def test_ghosts_are_accepted() -> None:
    check_ghosts(BEFORE, AFTER)
    check_ghosts(BEFORE, BEFORE)


def _declared(*declarations: Declaration) -> Program:
    return replace(AFTER, globals=(*BEFORE.globals, *declarations))


def _writing(value: object) -> Program:
    place = VariablePlace(GHOST)
    return with_command(
        AFTER,
        WRITES,
        lambda c: replace(
            c,
            assignments=(*c.assignments[:-1], Assignment(place, value)),  # type: ignore[arg-type]  # forged
        ),
    )


FORGERIES: dict[str, Callable[[], Program]] = {
    "a ghost that does not synchronise": lambda: _declared(
        Declaration(replace(GHOST, sync=False)), AFTER.globals[-1]
    ),
    "a ghost that starts with anything": lambda: _declared(
        Declaration(GHOST, AnyValue()), AFTER.globals[-1]
    ),
    "a ghost that holds a number": lambda: _declared(
        Declaration(replace(GHOST, type=INT)), AFTER.globals[-1]
    ),
    "a ghost declared twice": lambda: _declared(*[Declaration(GHOST)] * 2, AFTER.globals[-1]),
    "a ghost called as a local variable": lambda: _declared(
        *AFTER.globals[len(BEFORE.globals) :],
        Declaration(Variable("r", TID, Scope.GLOBAL, sync=True)),
    ),
    "a ghost given another id": lambda: _writing(ThreadAt("t", number(0))),
    "a ghost given what is in a ghost": lambda: _writing(Read(VariablePlace(GHOST))),
    "a ghost given an id of its own": lambda: _writing(Const(0, TID)),
    "a guard that reads a ghost": lambda: with_command(
        AFTER,
        OTHER,
        lambda c: replace(c, guard=Binary(BinaryOp.EQ, Read(VariablePlace(GHOST)), SelfId())),
    ),
    "a ghost that is havocked": lambda: with_command(
        AFTER, OTHER, lambda c: replace(c, havocs=(VariablePlace(GHOST),))
    ),
    "a write that is lost": lambda: with_command(
        AFTER, WRITES, lambda c: replace(c, assignments=c.assignments[1:])
    ),
    "an edge that is lost": lambda: without_edge(AFTER, OTHER),
    "an edge that synchronises": lambda: with_edge(AFTER, WRITES, sync=True),
    "an edge to elsewhere": lambda: with_edge(AFTER, WRITES, target=BEFORE.edges[CLEARS].target),
    "a variable that is lost": lambda: replace(AFTER, globals=AFTER.globals[1:]),
    "fewer threads": lambda: replace(AFTER, templates=(replace(AFTER.templates[0], count=1),)),
    "no properties": lambda: replace(AFTER, properties=()),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_what_is_more_than_ghosts_is_refused(name: str) -> None:
    forged = FORGERIES[name]()
    assert forged != AFTER
    with pytest.raises(Refuted):
        check_ghosts(BEFORE, forged)
