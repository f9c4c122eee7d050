"""Edges of atomic regions joined where that needs no substitution: fewer states for a peer.

An edge into an atomic region that only tests is one step with each edge that may follow it:
nothing has changed in between. So `await(x) { x = false; }` is one step, as a person would write
it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import Expr, Place
from threadwise.ir.program import Edge, LocId, Procedure, Program


@dataclass(frozen=True)
class Step:
    """Tests, then one edge's changes."""

    source: LocId
    target: LocId
    guards: tuple[Expr, ...]
    assignments: tuple[Assignment, ...]
    havocs: tuple[Place, ...]


def joined_steps(program: Program, body: Procedure) -> dict[LocId, list[Step]]:
    """The steps of a thread by where they begin, for all places that it can be at."""
    found: dict[LocId, list[Step]] = {}
    pending = [body.entry]
    while pending:
        place = pending.pop()
        if place not in found:
            found[place] = list(_from(program, place, place, (), frozenset()))
            pending.extend(step.target for step in found[place])
    return dict(sorted(found.items()))


def _from(
    program: Program,
    source: LocId,
    place: LocId,
    guards: tuple[Expr, ...],
    passed: frozenset[LocId],
) -> Iterator[Step]:
    for edge in program.outgoing[place]:
        action = edge.action
        assert isinstance(action, Command)
        tests = (*guards, action.guard)
        if _only_tests(action) and program.locations[edge.target].atomic and place not in passed:
            yield from _from(program, source, edge.target, tests, passed | {place})
        else:
            yield _step(source, edge, action, tests)


def _only_tests(action: Command) -> bool:
    return not action.assignments and not action.havocs


def _step(source: LocId, edge: Edge, action: Command, guards: tuple[Expr, ...]) -> Step:
    return Step(source, edge.target, guards, tuple(action.assignments), tuple(action.havocs))
