"""Writes that nobody will read are left out, with the choices and reads that were made for them.

A local variable is *needed* at a location if some path from there reads it for anything but
values of variables that are not needed themselves. A command need not write what is not needed
behind it: a havoc of it is no choice, and an assignment is none either, provided that its right
side looks at local variables only and always has a value. (Reading shared memory is an access, a
value that may be missing a mistake: both stay.) Edges keep their numbers and guards, so a run of
the one program is a run of the other with other values in variables that are not needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from threadwise.ir.commands import Action, Assignment, Command
from threadwise.ir.expr import TRUE, Expr, IsWritten, Place, Scope, VariablePlace
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    definedness,
    mentions_shared,
    read_places,
    root,
    subexpressions,
)
from threadwise.ir.program import Edge, LocId, Procedure, Program
from threadwise.ir.types import is_scalar


def drop_dead_writes(program: Program) -> Program:
    """The program without choices and copies that matter to nobody."""
    return replace(program, procedures=tuple(map(_trimmed, program.procedures)))


def _trimmed(procedure: Procedure) -> Procedure:
    needed = _needed(procedure)
    edges = tuple(
        replace(edge, action=_trim(edge.action, needed[edge.target])) for edge in procedure.edges
    )
    return replace(procedure, edges=edges)


def _needed(procedure: Procedure) -> dict[LocId, frozenset[str]]:
    """The least solution: by location, the locals that are needed there."""
    needed = {location.id: frozenset[str]() for location in procedure.locations}
    incoming: dict[LocId, list[Edge]] = {location.id: [] for location in procedure.locations}
    for edge in procedure.edges:
        incoming[edge.target].append(edge)
    pending = [location.id for location in procedure.locations]
    while pending:
        target = pending.pop()
        for edge in incoming[target]:
            action = _trim(edge.action, needed[target])
            before = (needed[target] - frozenset(_overwritten(action))) | frozenset(_read(action))
            if not before <= needed[edge.source]:
                needed[edge.source] |= before
                pending.append(edge.source)
    return needed


def _trim(action: Action, needed: frozenset[str]) -> Action:
    if not isinstance(action, Command):
        return action
    havocs = tuple(place for place in action.havocs if not _is_idle(place, needed))
    assignments = tuple(
        each
        for each in action.assignments
        if not (_is_idle(each.target, needed) and _is_silent(each))
    )
    return replace(action, assignments=assignments, havocs=havocs)


def _is_idle(place: Place, needed: frozenset[str]) -> bool:
    """Whether a place is a whole local variable that is not needed."""
    if not isinstance(place, VariablePlace) or place.variable.scope is not Scope.LOCAL:
        return False
    return is_scalar(place.type) and place.variable.name not in needed


def _is_silent(assignment: Assignment) -> bool:
    value = assignment.value
    return not mentions_shared(value) and definedness(value) == TRUE


def _read(action: Action) -> Iterator[str]:
    for expr in action_expressions(action):
        yield from _read_by(expr)
    for place in action_places(action):
        if not isinstance(place, VariablePlace):
            yield from _local(place)


def _read_by(expr: Expr) -> Iterator[str]:
    for place in read_places(expr):
        yield from _local(place)
    for part in subexpressions(expr):
        if isinstance(part, IsWritten):
            yield from _local(part.place)


def _overwritten(action: Action) -> Iterator[str]:
    if isinstance(action, Command):
        for place in action_places(action):
            if isinstance(place, VariablePlace):
                yield from _local(place)


def _local(place: Place) -> Iterator[str]:
    base = root(place)
    if isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL:
        yield base.variable.name
