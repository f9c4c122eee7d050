"""Values that nobody will read are forgotten, so that states that differ only in them are one.

A local variable is *live* at a location if some path from there reads it before writing it. Where
a variable that may hold something dies, the edge sets it back to its default. (Parallel assignment
evaluates in the old state, so the edge that reads a value last can forget it at once; a value that
is written and never read is forgotten one edge later, for reading what was written is part of the
program.) Commands alone forget; calls and returns keep what they find.
"""

from __future__ import annotations

from dataclasses import replace

from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import Const, Variable, VariablePlace
from threadwise.ir.program import DEFAULT, Edge, LocId, Procedure, Program
from threadwise.ir.simplify.local_uses import overwritten_locals, read_locals, written_locals
from threadwise.ir.types import default_value, is_scalar


def forget_dead_values(program: Program) -> Program:
    """The program with dead scalar locals set back to their defaults."""
    procedures = tuple(_Forgetting(procedure).run() for procedure in program.procedures)
    return replace(program, procedures=procedures)


def live_locals(procedure: Procedure) -> dict[LocId, frozenset[str]]:
    """The local variables that are live, by location."""
    return _Forgetting(procedure).live()


class _Forgetting:
    def __init__(self, procedure: Procedure) -> None:
        self.procedure = procedure
        self.outgoing: dict[LocId, list[Edge]] = {loc.id: [] for loc in procedure.locations}
        self.incoming: dict[LocId, list[Edge]] = {loc.id: [] for loc in procedure.locations}
        for edge in procedure.edges:
            self.outgoing[edge.source].append(edge)
            self.incoming[edge.target].append(edge)
        self.reads = {edge.id: frozenset(read_locals(edge)) for edge in procedure.edges}
        self.writes = {edge.id: frozenset(written_locals(edge.action)) for edge in procedure.edges}
        self.overwrites = {
            edge.id: frozenset(overwritten_locals(edge.action)) for edge in procedure.edges
        }
        declared = [declaration.variable for declaration in procedure.locals]
        self.scalars = {
            variable.name: variable
            for variable in (*procedure.parameters, *declared)
            if is_scalar(variable.type)
        }

    def run(self) -> Procedure:
        """The procedure with resets."""
        live = self.live()
        held = {self.procedure.entry: self._held_at_entry()}
        """What may differ from its default, by location that can be reached."""
        resets = {edge.id: frozenset[str]() for edge in self.procedure.edges}
        pending = [self.procedure.entry]
        while pending:
            here = pending.pop()
            for edge in self.outgoing[here]:
                dead = held[here] - live[edge.target] - self.writes[edge.id]
                kept = held[here] | self.writes[edge.id]
                if isinstance(edge.action, Command):
                    resets[edge.id] |= dead & self.scalars.keys()
                    kept -= resets[edge.id]
                known = held.get(edge.target)
                if known is None or not kept <= known:
                    held[edge.target] = kept if known is None else known | kept
                    pending.append(edge.target)
        edges = tuple(self._reset(edge, resets[edge.id]) for edge in self.procedure.edges)
        return replace(self.procedure, edges=edges)

    def _held_at_entry(self) -> frozenset[str]:
        given = {parameter.name for parameter in self.procedure.parameters}
        given |= {d.variable.name for d in self.procedure.locals if d.initial != DEFAULT}
        return frozenset(given)

    def live(self) -> dict[LocId, frozenset[str]]:
        """The variables that some path reads before it writes them."""
        live = {loc.id: frozenset[str]() for loc in self.procedure.locations}
        pending = list(live)
        while pending:
            here = pending.pop()
            needed = frozenset[str]().union(
                *(
                    self.reads[edge.id] | (live[edge.target] - self.overwrites[edge.id])
                    for edge in self.outgoing[here]
                )
            )
            if needed != live[here]:
                live[here] = needed
                pending.extend(edge.source for edge in self.incoming[here])
        return live

    def _reset(self, edge: Edge, names: frozenset[str]) -> Edge:
        command = edge.action
        dying = [self.scalars[name] for name in sorted(names)]
        if not dying or not isinstance(command, Command):
            return edge
        forgotten = tuple(_forget(variable) for variable in dying)
        changed = replace(command, assignments=(*command.assignments, *forgotten))
        return replace(edge, action=changed)


def _forget(variable: Variable) -> Assignment:
    value = default_value(variable.type)  # type: ignore[arg-type]  # scalar
    return Assignment(VariablePlace(variable), Const(value, variable.type))
