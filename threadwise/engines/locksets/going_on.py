"""What may be known less where some claims are given up: where a pass over a program goes on.

With fewer claims about all states a thread knows less. Most of what it knows, and most steps,
have nothing to do with the claims that were given up: only the rest is looked at again, and what
follows from that. `Changes` says what the rest is, by the places that are read and written, under
the names that they have in the program and under those that are known. It need not find
everything: a last look at all steps comes before results are believed (`lockset_engine`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from threadwise.ir.expr import Expr, IsWritten, Place, Read, VariablePlace
from threadwise.ir.fold import action_expressions, place_expressions, root, subexpressions
from threadwise.ir.program import Edge, EdgeId
from threadwise.ir.types import MutexType
from threadwise.ir.writes import written
from threadwise.proofs.locksets.ground import Ground
from threadwise.proofs.locksets.knowledge import Knowledge, is_own, named, named_place
from threadwise.proofs.locksets.memory.cells import Target, field_start

OF_MEMORY = ("_cells", "_in_order", "_values", "_written_by_others", "firsts_procedures")
"""What is remembered with claims, and follows from memory alone."""


def with_memory_of(ground: Ground, before: Ground) -> Ground:
    """Other claims about the same memory, with what was computed from that."""
    if ground.memory is before.memory and ground.threads is before.threads:
        known = {name: vars(before)[name] for name in OF_MEMORY if name in vars(before)}
        vars(ground).update(known)
    return ground


class Changes:
    """What some claims say less than others did, about the same memory."""

    def __init__(self, before: Ground, now: Ground) -> None:
        self.ground = now
        cells: set[Target] = set(before.frozen ^ now.frozen) | set(before.spoilt ^ now.spoilt)
        for one, other in (
            (before.numbers, now.numbers),
            (before.guards, now.guards),
            (before.gates, now.gates),
            (before.slots, now.slots),
        ):
            differ = one.items() ^ other.items()  # type: ignore[attr-defined, unused-ignore]
            cells |= {cell for cell, _ in differ}
        cells |= before.indexed ^ now.indexed
        self.cells = frozenset(cells)
        given = {name for name, _ in before.given.items() ^ now.given.items()}
        templates = given | (before.numbered ^ now.numbered)
        arguments = now.threads.arguments
        self.arguments = frozenset(each for name in templates for each in arguments[name])
        """The variables that hold arguments of threads of which less is known."""
        self.starts = frozenset(
            edge for edge, template in now.threads.starts.items() if template in templates
        )
        self._evaluated: dict[EdgeId, Sequence[Expr]] = {}
        self._exprs: dict[tuple[Expr, str], bool] = {}
        self._places: dict[tuple[Place, str], bool] = {}

    def concern(self, edges: Iterable[Edge], knowledge: Knowledge, procedure: str) -> bool:
        """Whether some edges may lead to less, for a thread that knows this."""
        return any(self._told(each, procedure) for each in _told_by(knowledge)) or any(
            self._taken(edge, knowledge, procedure) for edge in edges
        )

    def _taken(self, edge: Edge, knowledge: Knowledge, procedure: str) -> bool:
        if edge.id in self.starts:
            return True
        known = knowledge.known
        for expr in self._reading(edge):
            if self._told(expr, procedure) or self._told(named(expr, known), procedure):
                return True
        return any(
            self._is_changed(place, procedure)
            or self._is_changed(named_place(place, known), procedure)
            for place in self._targets(edge)
        )

    def _reading(self, edge: Edge) -> Sequence[Expr]:
        """The expressions of an edge that read memory; others read only what is known."""
        if edge.id not in self._evaluated:
            self._evaluated[edge.id] = tuple(
                filter(_reads_memory, action_expressions(edge.action))
            )
        return self._evaluated[edge.id]

    def _targets(self, edge: Edge) -> Iterator[Place]:
        return (place for place, _ in written(edge) if not is_own(place))

    def _told(self, expr: Expr, procedure: str) -> bool:
        """Whether an expression reads what less is known of."""
        key = expr, procedure
        found = self._exprs.get(key)
        if found is None:
            found = self._exprs[key] = any(
                self._is_changed(part.place, procedure)
                for part in subexpressions(expr)
                if isinstance(part, Read | IsWritten)
            )
        return found

    def _is_changed(self, place: Place, procedure: str) -> bool:
        key = place, procedure
        found = self._places.get(key)
        if found is None:
            found = self._places[key] = self._looked_up(place, procedure)
        return found

    def _looked_up(self, place: Place, procedure: str) -> bool:
        if is_own(place):
            return any(self._told(part, procedure) for part in place_expressions(place))
        base = root(place)
        if isinstance(base, VariablePlace) and base.variable.name in self.arguments:
            return True
        cells = self.ground.cells_of(place, procedure)
        if isinstance(place.type, MutexType):
            start = field_start(place.type, "owner")
            cells |= {Target(name, cell + start) for name, cell in cells}
        return not self.cells.isdisjoint(cells) or any(
            self._told(part, procedure) for part in place_expressions(place)
        )


def _reads_memory(expr: Expr) -> bool:
    parts = (part for part in subexpressions(expr) if isinstance(part, Read | IsWritten))
    return not all(is_own(part.place) for part in parts)


def _told_by(knowledge: Knowledge) -> Iterator[Expr]:
    """What knowledge is expressed with, places as what they hold."""
    yield from knowledge.known.values()
    yield from knowledge.facts
    for places in (knowledge.known, knowledge.held, knowledge.handles, knowledge.owned):
        for place in places:
            if not isinstance(place, VariablePlace) or not is_own(place):
                yield Read(place)
    for pairs in (knowledge.copies, knowledge.homes, knowledge.lent, knowledge.same):
        for one, other in pairs.items():
            yield Read(one)
            yield Read(other)
    for roster in knowledge.rosters:
        yield from (each for each in (roster.argument, roster.stop, roster.at) if each is not None)
        yield from (Read(each) for each in (roster.ids, roster.late) if each is not None)
    for ended in knowledge.ended:
        yield Read(ended.ids)
        yield from (each for each in (ended.stop, ended.first) if each is not None)
    if knowledge.identity is not None:
        yield knowledge.identity
