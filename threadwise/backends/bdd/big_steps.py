"""One step of a thread, as guarded assignments.

A step is one edge, or a path through an atomic region (`threadwise.semantics.step`). Such paths
are executed symbolically from all states at once; where paths with disjoint conditions meet, they
are merged, so that a loop over N cells costs N rounds and not 2^N paths. Locations are taken in
reverse postorder, so that everything that flows into a location has arrived when it is left.

A havoc is one path per value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from threadwise.backends.bdd.expressions import Cells, Store, Viewer
from threadwise.backends.bdd.fields import Field
from threadwise.backends.bdd.manager import Node
from threadwise.backends.bdd.values import Choice
from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Command
from threadwise.ir.expr import Const, SelfId, SelfIndex
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    place_expressions,
    read_places,
)
from threadwise.ir.program import Edge, LocId, Program
from threadwise.ir.types import Value

MOST_VISITS = 5_000
"""A region whose locations are left more often than this in one step counts as endless."""
MOST_HAVOCS = 1 << 12


@dataclass(frozen=True)
class Path:
    """What some paths from one location to another do: in which states, and what they write."""

    target: LocId
    condition: Node
    store: Store


class Regions:
    """The control flow of atomic regions, common to all threads of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program

    @cached_property
    def rank(self) -> dict[LocId, int]:
        """The locations of atomic regions in reverse postorder of the control flow."""
        finished: list[LocId] = []
        seen: set[LocId] = set()
        for location in self.program.locations:
            if not location.atomic:
                self._visit(location.id, seen, finished)
        return {place: -position for position, place in enumerate(finished)}

    def _visit(self, start: LocId, seen: set[LocId], finished: list[LocId]) -> None:
        stack = [(start, iter(self._inside(start)))]
        while stack:
            place, targets = stack[-1]
            target = next((t for t in targets if t not in seen), None)
            if target is None:
                stack.pop()
                finished.append(place)
            else:
                seen.add(target)
                stack.append((target, iter(self._inside(target))))

    def _inside(self, place: LocId) -> list[LocId]:
        return [
            edge.target
            for edge in self.program.outgoing[place]
            if self.program.locations[edge.target].atomic
        ]

    def needs_reach(self, procedure: str) -> bool:
        """Whether it pays to execute a procedure from reachable local stores only.

        A loop inside a region may end only from there, and an index that is not constant may mean
        far fewer cells there.
        """
        return procedure in self._narrow

    @cached_property
    def _narrow(self) -> frozenset[str]:
        return frozenset(
            proc.name
            for proc in self.program.procedures
            if any(map(self._goes_back, proc.edges)) or any(map(_has_index, proc.edges))
        )

    def _goes_back(self, edge: Edge) -> bool:
        """Whether an edge closes a loop inside a region; unreachable locations have no rank."""
        locations = self.program.locations
        inside = locations[edge.source].atomic and locations[edge.target].atomic
        if not inside or edge.source not in self.rank:
            return False
        return self.rank[edge.target] <= self.rank[edge.source]


def _has_index(edge: Edge) -> bool:
    """Whether an edge uses an array at an index that differs from state to state."""
    places = list(action_places(edge.action))
    for expr in action_expressions(edge.action):
        places.extend(read_places(expr))
    return any(
        not isinstance(index, Const | SelfId | SelfIndex)
        for place in places
        for index in place_expressions(place)
    )


class BigSteps:
    """The steps of one thread."""

    def __init__(self, viewer: Viewer, regions: Regions) -> None:
        self.viewer = viewer
        self.choices = viewer.choices
        self.program = viewer.space.program
        self.regions = regions

    def paths(self, source: LocId, where: Node) -> Iterator[Path]:
        """Everything a thread can do in one step from a location, in some states."""
        pending: dict[LocId, list[Path]] = {}
        arrived = self._leave(source, Path(source, where, {}), pending)
        visits = 0
        rank = self.regions.rank
        while pending:
            place = min(pending, key=rank.__getitem__)
            for path in pending.pop(place):
                visits += 1
                if visits > MOST_VISITS:
                    span = self.program.locations[source].span
                    raise Unsupported("an atomic block that may loop without bound", span)
                arrived.extend(self._leave(place, path, pending))
        yield from arrived

    def _leave(self, place: LocId, path: Path, pending: dict[LocId, list[Path]]) -> list[Path]:
        """Follow the edges from a location; the paths that leave the region."""
        arrived: list[Path] = []
        for edge in self.program.outgoing[place]:
            for longer in self._fire(edge, path):
                if self.program.locations[longer.target].atomic:
                    self._add(pending.setdefault(longer.target, []), longer)
                else:
                    arrived.append(longer)
        return arrived

    def _add(self, waiting: list[Path], path: Path) -> None:
        """Merge a path into one that waits at the same place and excludes it."""
        for position, other in enumerate(waiting):
            if other.condition & path.condition == self.choices.false:
                waiting[position] = self._merged(other, path)
                return
        waiting.append(path)

    def _merged(self, one: Path, two: Path) -> Path:
        store: dict[str, Choice] = {}
        for name in dict.fromkeys((*one.store, *two.store)):
            first, second = self._held(one, name), self._held(two, name)
            store[name] = (
                first
                if first == second
                else self.choices.merged(
                    self.choices.restricted(first, one.condition),
                    self.choices.restricted(second, two.condition),
                )
            )
        return Path(one.target, one.condition | two.condition, store)

    def _held(self, path: Path, name: str) -> Choice:
        written = path.store.get(name)
        return self.viewer.sets.literals(self._field(name)) if written is None else written

    @cached_property
    def _fields(self) -> dict[str, Field]:
        space = self.viewer.space
        return {field.name: field for field in (*space.shared, *self.viewer.me.own)}

    def _field(self, name: str) -> Field:
        return self._fields[name]

    def _fire(self, edge: Edge, path: Path) -> Iterator[Path]:
        action = edge.action
        assert isinstance(action, Command)
        viewer = replace(self.viewer, store=path.store, where=path.condition)
        condition = path.condition & viewer.yes(action.guard)
        if condition == self.choices.false:
            return
        viewer = replace(viewer, where=condition)
        writes = [(viewer.cells(a.target), viewer.evaluate(a.value)) for a in action.assignments]
        havocs = [viewer.cells(place) for place in action.havocs]
        store = dict(path.store)
        for cells, value in writes:
            self._write(store, cells, value)
        for values in self._chosen(havocs):
            chosen = store if not values else dict(store)
            for cells, picked in zip(havocs, values, strict=True):
                self._write(chosen, cells, self.choices.constant(picked))
            yield Path(edge.target, condition, chosen)

    def _chosen(self, havocs: Sequence[Cells]) -> Iterator[tuple[Value, ...]]:
        count = 1
        domains = []
        for cells in havocs:
            domain = cells.region[next(iter(cells.offsets), 0)].values
            domains.append(domain)
            count *= len(domain)
        if count > MOST_HAVOCS:
            raise Unsupported("too many values to choose from in one step, in BDDs")
        return product(*domains)

    def _write(self, store: dict[str, Choice], cells: Cells, value: Choice) -> None:
        for offset, where in cells.offsets.items():
            field = cells.region[offset]
            if where == self.choices.true:
                store[field.name] = value
                continue
            old = store.get(field.name)
            if old is None:
                old = self.viewer.sets.literals(field)
            store[field.name] = self.choices.merged(
                self.choices.restricted(value, where), self.choices.restricted(old, ~where)
            )
