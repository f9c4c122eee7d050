"""Dead variables are reset, so that states that differ only in dead values become one state.

Where a variable that may hold something dies (`liveness`), the edge sets it back to its default.
An arbitrary value that is never read is not chosen.
(Parallel assignment evaluates in the old state, so the edge that reads a value last can forget it
at once; a value that is written and never read is forgotten one edge later, for reading what was
written is part of the program.) Commands alone forget; calls and returns keep what they find.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from threadwise.analyses.graphs import outgoing_edges, visiting_order
from threadwise.analyses.liveness import LiveMasks, live_masks, names_of
from threadwise.analyses.uses import Names, Uses
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import Const, Place, Scope, Variable, VariablePlace
from threadwise.ir.program import DEFAULT, Edge, EdgeId, LocId, Procedure, Program
from threadwise.ir.properties import InvariantProperty
from threadwise.ir.types import default_value, is_scalar

NOBODY: Names = frozenset()


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
        self.resets = {name: _forget(variable) for name, variable in self.scalars.items()}

    def run(self) -> Procedure:
        """The procedure with resets."""
        live = live_masks(self.procedure, self.uses, always=self.scalars)
        scalars = live.mask(self.scalars)
        unread = {
            edge.id: self._unread_choices(edge, live)
            for edge in self.procedure.edges
            if isinstance(edge.action, Command) and edge.action.havocs
        }
        forgotten: dict[EdgeId, int] = {}
        """What each edge would reset if it could differ from its default."""
        after: dict[LocId, list[tuple[LocId, int, int]]] = {here: [] for here in live.at}
        for edge in self.procedure.edges:
            written = live.mask(self.uses.of(edge).written - unread.get(edge.id, NOBODY))
            lost = 0
            if isinstance(edge.action, Command):
                lost = forgotten[edge.id] = scalars & ~(live.at[edge.target] | written)
            after[edge.source].append((edge.target, lost, written))
        held = self._held(live.mask(self._held_at_entry()), after)
        names = list(live.bits)
        edges = tuple(
            self._reset(
                edge,
                names_of(held.get(edge.source, 0) & forgotten.get(edge.id, 0), names),
                unread.get(edge.id, NOBODY),
            )
            for edge in self.procedure.edges
        )
        return replace(self.procedure, edges=edges)

    def _held(
        self, first: int, after: Mapping[LocId, list[tuple[LocId, int, int]]]
    ) -> dict[LocId, int]:
        """What may differ from its default, by location that can be reached."""
        order = visiting_order(self.procedure.entry, self.outgoing)
        held = {self.procedure.entry: first}
        pending = {self.procedure.entry}
        while pending:
            for here in order:
                if here not in pending:
                    continue
                pending.discard(here)
                begin = held[here]
                for target, lost, written in after[here]:
                    kept = (begin & ~lost) | written
                    known = held.get(target)
                    if known is None or kept | known != known:
                        held[target] = kept if known is None else kept | known
                        pending.add(target)
        return held

    def _unread_choices(self, edge: Edge, live: LiveMasks) -> Names:
        """The locals that an edge gives any value, and that nobody reads afterwards."""
        command = edge.action
        assert isinstance(command, Command)
        chosen = {
            place.variable.name
            for place in command.havocs
            if isinstance(place, VariablePlace) and place.variable.scope is Scope.LOCAL
        }
        behind = live.at[edge.target]
        return frozenset(
            name for name in chosen & self.scalars.keys() if not live.bits.get(name, 0) & behind
        )

    def _held_at_entry(self) -> frozenset[str]:
        given = {parameter.name for parameter in self.procedure.parameters}
        given |= {d.variable.name for d in self.procedure.locals if d.initial != DEFAULT}
        return frozenset(given)

    def _reset(self, edge: Edge, names: Sequence[str], unread: Names) -> Edge:
        command = edge.action
        if not (names or unread) or not isinstance(command, Command):
            return edge
        forgotten = [self.resets[name] for name in sorted(names)]
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
