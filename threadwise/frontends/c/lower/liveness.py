"""Which local values are still needed where variables are declared without initialiser.

A variable without initialiser holds any value; but if every path writes it before it reads it, the
declaration does nothing. Aggregates are followed cell by cell where the indices are constant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from threadwise.analyses.graphs import last_first
from threadwise.analyses.uses import Uses
from threadwise.core.quick_dataclass import replace
from threadwise.frontends.c.lower.graph import Arc, Graph
from threadwise.frontends.c.lower.values.types import cells
from threadwise.ir.commands import Action, Allocate, Call, Command, Return
from threadwise.ir.expr import (
    Const,
    FieldPlace,
    IndexPlace,
    Place,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    read_places,
    root,
)
from threadwise.ir.layout import NO_THREADS, field_offset, size_of
from threadwise.ir.types import ArrayType, MutexType, RecordType

FOLLOWED = 512
"""Aggregates with more cells are followed as a whole."""


class Liveness:
    """The live cells of some variables at each node of a graph, as bit sets."""

    def __init__(self, graph: Graph, variables: Iterable[Variable], uses: Uses) -> None:
        self.graph = graph
        self.uses = uses
        self.start: dict[str, int] = {}
        self.size: dict[str, int] = {}
        self.units: list[Place] = []
        for variable in variables:
            if variable.scope is not Scope.LOCAL:
                continue
            size = size_of(variable.type, NO_THREADS)
            whole = VariablePlace(variable)
            parts = list(cells(whole, variable.type)) if size <= FOLLOWED else [whole]
            self.start[variable.name] = len(self.units)
            self.size[variable.name] = len(parts)
            self.units.extend(parts)
        self.live = [0] * len(graph.points)
        self._solve()

    def _solve(self) -> None:
        if not self.start:
            return
        live, known = self.live, self.start.keys()
        before: list[list[tuple[int, int]]] = [[] for _ in live]
        after: dict[int, list[int]] = {node: [] for node in range(len(live))}
        for arc in self.graph.arcs:
            names, action = self.uses.of(arc), arc.action
            if not known.isdisjoint(names.read):
                live[arc.source] |= self.used(action)
            if not isinstance(action, Return):
                killed = 0 if known.isdisjoint(names.written) else self.killed(action)
                before[arc.target].append((arc.source, killed))
                after[arc.source].append(arc.target)
        for source, target in self.graph.jumps:
            before[target].append((source, 0))
            after[source].append(target)
        order = last_first(after, after)
        pending = {node for node in order if live[node]}
        while pending:
            for node in order:
                if node not in pending:
                    continue
                pending.discard(node)
                behind = live[node]
                for source, killed in before[node]:
                    found = live[source] | (behind & ~killed if killed else behind)
                    if found != live[source]:
                        live[source] = found
                        pending.add(source)

    def used(self, action: Action) -> int:
        """The cells an action reads."""
        found = 0
        for expr in action_expressions(action):
            for place in read_places(expr):
                found |= self.mask(place)[0]
        return found

    def killed(self, action: Action) -> int:
        """The cells an action surely writes."""
        found = 0
        if isinstance(action, Command | Allocate | Call):
            for place in action_places(action):
                mask, exact = self.mask(place)
                if exact:
                    found |= mask
        return found

    def mask(self, place: Place) -> tuple[int, bool]:
        """The cells of a place, and whether it is all of them."""
        base = root(place)
        if not isinstance(base, VariablePlace) or base.variable.scope is not Scope.LOCAL:
            return 0, False
        name = base.variable.name
        if name not in self.start:
            return 0, False
        start, count = self.start[name], self.size[name]
        if count == 1:
            whole = size_of(base.variable.type, NO_THREADS) == 1
            return 1 << start, whole
        offset, size, exact = _extent(place)
        return ((1 << size) - 1) << (start + offset), exact


def _extent(place: Place) -> tuple[int, int, bool]:
    """The cells of a part of a variable: the first, how many, and whether it is known exactly."""
    match place:
        case FieldPlace(base, field):
            offset, _, exact = _extent(base)
            held = base.type
            assert isinstance(held, RecordType | MutexType)
            if not exact:
                return _extent(base)
            size = size_of(place.type, NO_THREADS)
            return offset + field_offset(held, field, NO_THREADS), size, True
        case IndexPlace(base, index):
            offset, size, exact = _extent(base)
            array = base.type
            assert isinstance(array, ArrayType)
            assert isinstance(array.extent, int)
            inner = size_of(array.element, NO_THREADS)
            known = index.value if isinstance(index, Const) else None
            if not exact or not isinstance(known, int) or not 0 <= known < array.extent:
                return offset, size, False
            return offset + known * inner, inner, True
        case _:
            return 0, size_of(place.type, NO_THREADS), True


def declared_variables(graph: Graph) -> list[Variable]:
    """The local variables that some arc only declares."""
    bases = [
        root(place) for arc in graph.arcs if arc.declares for place in action_places(arc.action)
    ]
    return list(dict.fromkeys(b.variable for b in bases if isinstance(b, VariablePlace)))


def settle_declarations(graph: Graph, liveness: Liveness) -> list[Variable]:
    """List undefined values that are never read; the variables for which some are left.

    What is listed is not in the program: `ir.check.indeterminate` verifies that nothing reads it.
    """
    kept: list[Arc] = []
    left: dict[Variable, None] = {}
    before = _jumping(graph)
    for arc in graph.arcs:
        action = arc.action
        if not arc.declares or not isinstance(action, Command):
            kept.append(arc)
            continue
        live = _live_around(arc.target, before, liveness)
        havocs = tuple(p for p in action.havocs if liveness.mask(p)[0] & live)
        stores = tuple(a for a in action.assignments if liveness.mask(a.target)[0] & live)
        for place in havocs:
            base = root(place)
            assert isinstance(base, VariablePlace)
            left[base.variable] = None
        read = {*havocs, *(assignment.target for assignment in stores)}
        every = action_places(action)
        listed = tuple(place for place in every if place not in read) if read else every
        graph.points[arc.target].indeterminate += listed
        if read:
            arc.action = replace(action, havocs=havocs, assignments=stores)
            kept.append(arc)
        else:
            graph.jump(arc.source, arc.target)
    graph.arcs = kept
    return list(left)


def _jumping(graph: Graph) -> dict[int, list[int]]:
    """By node, those that may become one with it: jumps lead there, or a mere declaration."""
    found: dict[int, list[int]] = {}
    for source, target in graph.jumps:
        found.setdefault(target, []).append(source)
    for arc in graph.arcs:
        if arc.declares:
            found.setdefault(arc.target, []).append(arc.source)
    return found


def _live_around(node: int, before: Mapping[int, list[int]], liveness: Liveness) -> int:
    """What is live at a node or at one that may become one with it."""
    found, seen, pending = 0, {node}, [node]
    while pending:
        here = pending.pop()
        found |= liveness.live[here]
        for other in before.get(here, ()):
            if other not in seen:
                seen.add(other)
                pending.append(other)
    return found
