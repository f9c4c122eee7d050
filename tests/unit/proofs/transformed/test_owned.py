"""Ghosts of who wrote last change nothing; what does is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.proofs.transformed.forging import with_edge
from tests.unit.semantics.running import model
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import Binary, BinaryOp, Const, FieldPlace, Read, SelfId, VariablePlace
from threadwise.ir.program import Edge, FillValue, Program
from threadwise.ir.types import NONE, TID
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.transformed.owned import check_owned
from threadwise.semantics.oracle import explore
from threadwise.transforms.owners import owner_of, with_owners

BEFORE = model("""
mutex m; bool busy; int[0..3] x;
thread t[2] { acquire(m); if (!busy) { busy = true; release(m); x = 1; acquire(m); busy = false; }
  release(m); }
""")
AFTER = with_owners(BEFORE, ["busy"])
CELL = FieldPlace(VariablePlace(owner_of("busy")), "owner")


def signing(program: Program) -> Edge:
    return next(
        e
        for e in program.edges
        if isinstance(e.action, Command) and any(a.target == CELL for a in e.action.assignments)
    )


def test_ghosts_are_accepted_and_change_nothing() -> None:
    check_owned(BEFORE, AFTER)
    before, after = (explore(p, p.properties) for p in (BEFORE, AFTER))
    assert before.violated == after.violated


def test_a_ghost_is_not_read() -> None:
    edge = signing(AFTER)
    assert isinstance(edge.action, Command)
    guard = Binary(BinaryOp.EQ, Read(CELL), SelfId())
    with pytest.raises(Refuted, match="reads a ghost"):
        check_owned(BEFORE, with_edge(AFTER, edge.id, action=replace(edge.action, guard=guard)))


def test_a_ghost_gets_the_thread_itself() -> None:
    edge = signing(AFTER)
    assert isinstance(edge.action, Command)
    wrong = tuple(
        Assignment(CELL, Const(NONE, TID)) if a.target == CELL else a
        for a in edge.action.assignments
    )
    with pytest.raises(Refuted, match="something else to a ghost"):
        check_owned(
            BEFORE, with_edge(AFTER, edge.id, action=replace(edge.action, assignments=wrong))
        )


def test_a_ghost_is_not_chosen() -> None:
    edge = signing(AFTER)
    assert isinstance(edge.action, Command)
    with pytest.raises(Refuted, match="something else to a ghost"):
        check_owned(BEFORE, with_edge(AFTER, edge.id, action=replace(edge.action, havocs=(CELL,))))


def test_nothing_else_changes() -> None:
    edge = next(e for e in AFTER.edges if e.action == BEFORE.edges[e.id].action)
    with pytest.raises(Refuted, match="change the program"):
        check_owned(BEFORE, with_edge(AFTER, edge.id, action=Command()))


def test_a_ghost_begins_free() -> None:
    ghost = replace(AFTER.globals[-1], initial=FillValue(0))
    with pytest.raises(Refuted, match="no ghost"):
        check_owned(BEFORE, replace(AFTER, globals=(*AFTER.globals[:-1], ghost)))


def test_a_variable_of_the_program_is_no_ghost() -> None:
    twice = with_owners(AFTER, ["busy"])
    with pytest.raises(Refuted, match="no ghost"):
        check_owned(AFTER, twice)
