"""Dead variables are reset, so that states that differ only in dead values become one state.

Where a variable that may hold something dies (`liveness`), the edge sets it back to its default.
An arbitrary value that is never read is not chosen.
(Parallel assignment evaluates in the old state, so the edge that reads a value last can forget it
at once; a value that is written and never read is forgotten one edge later, for reading what was
written is part of the program.) Commands alone forget; calls and returns keep what they find.
"""

from __future__ import annotations

from collections.abc import Mapping

from threadwise.analyses.graphs import outgoing_edges
from threadwise.analyses.liveness import live_locals
from threadwise.analyses.uses import Names, Uses
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import Const, Place, Scope, Variable, VariablePlace
from threadwise.ir.program import DEFAULT, Edge, LocId, Procedure, Program
from threadwise.ir.properties import InvariantProperty
from threadwise.ir.types import default_value, is_scalar


def forget_dead_values(program: Program, uses: Uses | None = None) -> Program:
    """The program with dead scalar locals set back to their defaults; invariants see them all."""
    if any(isinstance(checked, InvariantProperty) for checked in program.properties):
        return program
    uses = uses or Uses()
    procedures = tuple(_Forgetting(procedure, uses).run() for procedure in program.procedures)
    return replace(program, procedures=procedures)


class _Forgetting:
    def __init__(self, procedure: Procedure, uses: Uses) -> None:
        self.procedure = procedure
        self.uses = uses
        self.outgoing = outgoing_edges(procedure)
        declared = [declaration.variable for declaration in procedure.locals]
        self.scalars = {
            variable.name: variable
            for variable in (*procedure.parameters, *declared)
            if is_scalar(variable.type)
        }

    def run(self) -> Procedure:
        """The procedure with resets."""
        live = live_locals(self.procedure, self.uses)
        held = {self.procedure.entry: self._held_at_entry()}
        """What may differ from its default, by location that can be reached."""
        resets = {edge.id: frozenset[str]() for edge in self.procedure.edges}
        pending = [self.procedure.entry]
        while pending:
            here = pending.pop()
            for edge in self.outgoing[here]:
                written = self.uses.of(edge).written - self._unread_choices(edge, live)
                dead = held[here] - live[edge.target] - written
                kept = held[here] | written
                if isinstance(edge.action, Command):
                    resets[edge.id] |= dead & self.scalars.keys()
                    kept -= resets[edge.id]
                known = held.get(edge.target)
                if known is None or not kept <= known:
                    held[edge.target] = kept if known is None else known | kept
                    pending.append(edge.target)
        edges = tuple(
            self._reset(edge, resets[edge.id], self._unread_choices(edge, live))
            for edge in self.procedure.edges
        )
        return replace(self.procedure, edges=edges)

    def _unread_choices(self, edge: Edge, live: Mapping[LocId, Names]) -> frozenset[str]:
        """The locals that an edge gives any value, and that nobody reads afterwards."""
        command = edge.action
        if not isinstance(command, Command) or not command.havocs:
            return frozenset()
        chosen = {
            place.variable.name
            for place in command.havocs
            if isinstance(place, VariablePlace) and place.variable.scope is Scope.LOCAL
        }
        return frozenset(chosen & self.scalars.keys() - live[edge.target])

    def _held_at_entry(self) -> frozenset[str]:
        given = {parameter.name for parameter in self.procedure.parameters}
        given |= {d.variable.name for d in self.procedure.locals if d.initial != DEFAULT}
        return frozenset(given)

    def _reset(self, edge: Edge, names: Names, unread: Names) -> Edge:
        command = edge.action
        dying = [self.scalars[name] for name in sorted(names)]
        if not (dying or unread) or not isinstance(command, Command):
            return edge
        forgotten = tuple(_forget(variable) for variable in dying)
        changed = replace(
            command,
            assignments=(*command.assignments, *forgotten),
            havocs=tuple(place for place in command.havocs if not _is_one_of(place, unread)),
        )
        return replace(edge, action=changed)


def _is_one_of(place: Place, names: Names) -> bool:
    return isinstance(place, VariablePlace) and place.variable.name in names


def _forget(variable: Variable) -> Assignment:
    value = default_value(variable.type)  # type: ignore[arg-type]  # scalar
    return Assignment(VariablePlace(variable), Const(value, variable.type))
