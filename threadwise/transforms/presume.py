"""Programs without steps that end them: for proofs of absence of races.

`presume(program)` is the program in which no edge leads to a failure: such edges are never
enabled. Behind undefined behaviour of C (an index out of bounds, a division by zero) nothing is
known, so a proof about the result assumes that there is none. Other failures (an assertion, a lock
that is misused) end the run, and there are no races in a program that has ended. Kept are edges
that belong to a step which accesses what a race property is about: such a step may race even
if it fails. `threadwise.proofs.transformed.presumed` verifies the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from threadwise.core.identity import Same
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Action, Command
from threadwise.ir.expr import FALSE, VariablePlace
from threadwise.ir.fold import action_expressions, action_places, read_places, root
from threadwise.ir.program import Edge, EdgeId, LocId, Procedure, Program
from threadwise.ir.properties import RaceProperty

PRESUMED = "presumed"
"""Among what transformations made of a program."""
MOST_REMEMBERED = 1 << 15
"""Of so many actions it is remembered what they use."""


def presume(program: Program) -> Program:
    """The program if nothing ends it; itself if that changes nothing. It is remembered there."""
    if PRESUMED not in program.made:
        gone = frozenset(_left_out(program))
        program.made[PRESUMED] = _without(program, gone) if gone else program
    return program.made[PRESUMED]


def _without(program: Program, gone: frozenset[EdgeId]) -> Program:
    def changed(edge: Edge) -> Edge:
        return replace(edge, action=Command(FALSE)) if edge.id in gone else edge

    def procedure(old: Procedure) -> Procedure:
        return replace(old, edges=tuple(map(changed, old.edges)))

    return replace(program, procedures=tuple(map(procedure, program.procedures)))


def _left_out(program: Program) -> Iterator[EdgeId]:
    """The edges to failures that can be left out."""
    watched: set[EdgeId] | None = None
    for edge in program.edges:
        failure = program.locations[edge.target].failure
        if failure is None or not isinstance(edge.action, Command):
            continue
        if failure.kind.has_no_meaning:
            ways = program.outgoing[edge.source]
            if any(program.locations[way.target].failure is None for way in ways):
                yield edge.id
        elif not failure.kind.is_limit:
            watched = _watched_steps(program) if watched is None else watched
            if edge.id not in watched:
                yield edge.id


def _watched_steps(program: Program) -> set[EdgeId]:
    """The edges of steps that may access what a race property is about."""
    races = [checked for checked in program.properties if isinstance(checked, RaceProperty)]
    every = any(checked.variables is None for checked in races)
    names = {name for checked in races for name in checked.variables or ()}
    beside: dict[LocId, list[Edge]] = {}
    for edge in program.edges:
        for end in (edge.source, edge.target):
            if program.locations[end].atomic:
                beside.setdefault(end, []).append(edge)
    found = {edge.id for edge in program.edges if every or names_of(edge) & names}
    waiting = list(found)
    while waiting:
        edge = program.edges[waiting.pop()]
        for end in (edge.source, edge.target):
            for other in beside.get(end, ()):
                if other.id not in found:
                    found.add(other.id)
                    waiting.append(other.id)
    return found


def names_of(edge: Edge) -> frozenset[str]:
    """The variables that an edge uses."""
    return _names_of(Same(edge.action))


@lru_cache(maxsize=MOST_REMEMBERED)
def _names_of(same: Same) -> frozenset[str]:
    """The same of an action, which is an edge's in many slices."""
    action: Action = same.kept  # type: ignore[assignment]
    places = [*action_places(action)]
    for expr in action_expressions(action):
        places += read_places(expr)
    roots = map(root, places)
    return frozenset(base.variable.name for base in roots if isinstance(base, VariablePlace))
