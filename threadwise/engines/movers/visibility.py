"""Which edges an invariant can see: those that can change a value or a position it mentions.

A reduced search keeps an invariant's violations if no visible edge is a mover: then moving and
dropping movers leaves the truth of the formula alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from threadwise.engines.movers.footprints import region_of
from threadwise.ir.commands import Call, Return
from threadwise.ir.expr import AtLabel, Expr, Place, Scope, ThreadRead, VariablePlace
from threadwise.ir.fold import action_places, read_places, root, subexpressions
from threadwise.ir.program import Edge, EdgeId, LocId, Program


class Visibility:
    """What some formulas can see of a program."""

    def __init__(self, program: Program, formulas: Iterable[Expr]) -> None:
        self.program = program
        self.shared: set[str] = set()
        self.own: set[tuple[str, str]] = set()
        """Thread-scoped variables: template and name."""
        self.labels: set[tuple[str, str]] = set()
        """Procedure and label."""
        self._known: dict[tuple[EdgeId, str], bool] = {}
        for formula in formulas:
            self._observe(formula)

    def _observe(self, formula: Expr) -> None:
        for place in read_places(formula):
            self.shared.add(_name(place))
        for part in subexpressions(formula):
            if isinstance(part, AtLabel):
                self.labels.add((part.procedure, part.label))
            elif isinstance(part, ThreadRead):
                self.own.add((part.thread.template, _name(part.place)))

    def sees(self, edge: Edge, template: str) -> bool:
        """Whether an edge taken by a thread of a template can change what the formulas say."""
        key = (edge.id, template)
        if key not in self._known:
            self._known[key] = self._sees(edge, template)
        return self._known[key]

    def _sees(self, edge: Edge, template: str) -> bool:
        region = region_of(self.program, edge)
        written = [place for inner in region for place in action_places(inner.action)]
        if isinstance(edge.action, Return):  # it writes where the call wants the result
            name = self.program.procedure_of[edge.source].name
            written += [
                place for call in self._calls(name) for place in action_places(call.action)
            ]
        return any(self._is_observed(place, template) for place in written) or any(
            self._seen_at(edge.source) != self._seen_at(after)
            for inner in region
            for after in self._targets(inner)
        )

    def _is_observed(self, place: Place, template: str) -> bool:
        base = root(place)
        if not isinstance(base, VariablePlace) or base.variable.scope is Scope.GLOBAL:
            return _name(place) in self.shared
        return base.variable.scope is Scope.THREAD and (template, _name(place)) in self.own

    def _targets(self, edge: Edge) -> Iterable[LocId]:
        """Where a thread is after an edge, as far as others can see."""
        match edge.action:
            case Call(procedure):
                return (self.program.procedure[procedure].entry,)
            case Return():
                name = self.program.procedure_of[edge.source].name
                return (call.target for call in self._calls(name))
            case _:
                inside = self.program.locations[edge.target].atomic
                return () if inside else (edge.target,)

    def _calls(self, procedure: str) -> Iterable[Edge]:
        for edge in self.program.edges:
            if isinstance(edge.action, Call) and edge.action.procedure == procedure:
                yield edge

    def _seen_at(self, location: LocId) -> set[tuple[str, str]]:
        """The observed labels of a location."""
        name = self.program.procedure_of[location].name
        labels = self.program.locations[location].labels
        return {(name, label) for label in labels} & self.labels


def _name(place: Place) -> str:
    base = root(place)
    assert isinstance(base, VariablePlace)
    return base.variable.name
