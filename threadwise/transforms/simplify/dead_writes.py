"""Dead writes are left out, with the choices and reads that were made for them.

A local variable is *needed* at a location if some path from there reads it for anything but
values of variables that are not needed themselves. A command need not write what is not needed
behind it: a havoc of it is no choice, and an assignment is none either, provided that its right
side reads nothing that could race: only variables of the thread, and those that only synchronise.
(Guards ensure that what an edge evaluates has a value, so no failure is left out with it.)
Edges keep their numbers and guards, so a run of the one program is a run of the other with other
values in variables that are not needed.
"""

from __future__ import annotations

from threadwise.analyses.liveness import live_by
from threadwise.analyses.uses import EdgeUses, Names, Uses
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Command
from threadwise.ir.expr import (
    DerefPlace,
    Expr,
    IsAllocated,
    IsValid,
    IsWritten,
    Place,
    Read,
    Scope,
    VariablePlace,
)
from threadwise.ir.fold import root, subexpressions
from threadwise.ir.program import Edge, EdgeId, Procedure, Program
from threadwise.ir.properties import InvariantProperty
from threadwise.ir.types import is_scalar


def drop_dead_writes(program: Program, uses: Uses | None = None) -> Program:
    """The program without dead writes; unchanged if it has invariants, which see all variables."""
    if any(isinstance(checked, InvariantProperty) for checked in program.properties):
        return program
    uses = uses or Uses()
    procedures = tuple(_trimmed(procedure, uses) for procedure in program.procedures)
    return replace(program, procedures=procedures)


def _trimmed(procedure: Procedure, uses: Uses) -> Procedure:
    idle: dict[EdgeId, tuple[EdgeUses, Names]] = {
        edge.id: (uses.of(edge), _droppable(edge)) for edge in procedure.edges
    }

    def used(edge: Edge, after: Names) -> EdgeUses:
        whole, names = idle[edge.id]
        return whole if names <= after else uses.of(_trim(edge, after))

    needed = live_by(procedure, used)
    edges = tuple(
        edge if idle[edge.id][1] <= needed[edge.target] else _trim(edge, needed[edge.target])
        for edge in procedure.edges
    )
    return replace(procedure, edges=edges)


def _droppable(edge: Edge) -> Names:
    """The locals that an edge writes as a whole, and need not if they are not needed."""
    action = edge.action
    if not isinstance(action, Command) or not (action.assignments or action.havocs):
        return frozenset()
    return frozenset(
        place.variable.name
        for place in (*action.havocs, *(each.target for each in action.assignments))
        if isinstance(place, VariablePlace) and place.variable.scope is Scope.LOCAL
    )


def _trim(edge: Edge, needed: frozenset[str]) -> Edge:
    action = edge.action
    if not isinstance(action, Command):
        return edge
    havocs = tuple(place for place in action.havocs if not _is_idle(place, needed))
    assignments = tuple(
        each
        for each in action.assignments
        if not (_is_idle(each.target, needed) and _is_harmless(each.value))
    )
    if len(havocs) == len(action.havocs) and len(assignments) == len(action.assignments):
        return edge
    return replace(edge, action=replace(action, assignments=assignments, havocs=havocs))


def _is_idle(place: Place, needed: frozenset[str]) -> bool:
    """Whether a place is a whole local variable that is not needed."""
    if not isinstance(place, VariablePlace) or place.variable.scope is not Scope.LOCAL:
        return False
    return is_scalar(place.type) and place.variable.name not in needed


def _is_harmless(value: Expr) -> bool:
    """Whether evaluating the value can be left out without hiding a race."""
    for part in subexpressions(value):
        if isinstance(part, IsValid | IsAllocated):
            return False
        if isinstance(part, Read | IsWritten):
            base = root(part.place)
            if isinstance(base, DerefPlace):
                return False
            if base.variable.scope is Scope.GLOBAL and not base.variable.sync:
                return False
    return True
