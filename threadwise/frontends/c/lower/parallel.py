"""Atomic regions as one parallel command each, and what that is in earlier states.

This is what `lower.early` moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from threadwise.core.quick_dataclass import dataclass
from threadwise.frontends.c.lower.graph import Arc, Graph, Region
from threadwise.ir.commands import Assignment, Command, OperationKind, Return
from threadwise.ir.expr import Expr, Place, Read, Variable, VariablePlace
from threadwise.ir.fold import (
    conjunction,
    is_shared,
    mentions_shared,
    place_expressions,
    read_places,
    rebuild,
    rebuild_place,
    root,
    subexpressions,
)

_MOST_STEPS = 128
"""Of all paths through a region."""
_NEVER_TAKEN = (
    OperationKind.UNKNOWN_CALL,
    OperationKind.UNKNOWN_WRITE,
    OperationKind.UNKNOWN_FILL,
    OperationKind.UNKNOWN_READ,
    OperationKind.UNKNOWN_VALUE,
    OperationKind.UNKNOWN_END,
    OperationKind.UNKNOWN_CELLS,
)


class Unknown(Exception):  # noqa: N818 - no error: the store is not understood
    """How early a store may be is not known."""


@dataclass(frozen=True)
class Store:
    """What a region does, as one parallel command in the state at some earlier node."""

    guard: Expr
    writes: tuple[Assignment, ...]
    kept: tuple[Assignment, ...]
    """What its local variables hold after it."""

    @property
    def needed(self) -> set[Variable]:
        """The variables of the thread's own on which its effect depends."""
        found = {v for write in self.writes for v in variables(Read(write.target))}
        return found.union(*(variables(each.value) for each in (*self.writes, *self.kept)))

    @property
    def loads(self) -> set[Place]:
        """The shared memory that its address and its values are loaded from."""
        values = [each.value for each in (*self.writes, *self.kept)]
        inner = [part for write in self.writes for part in place_expressions(write.target)]
        return {p for expr in (*values, *inner) for p in read_places(expr) if is_shared(p)}

    def before(self, values: Mapping[Variable, Expr]) -> Store:
        """The same before variables get these values."""
        return self.with_memory({VariablePlace(v): value for v, value in values.items()})

    def with_memory(self, values: Mapping[Place, Expr]) -> Store:
        """The same before some places get these values."""
        return Store(
            _substituted(self.guard, values),
            tuple(
                Assignment(_substituted_place(w.target, values), _substituted(w.value, values))
                for w in self.writes
            ),
            tuple(Assignment(k.target, _substituted(k.value, values)) for k in self.kept),
        )


class Ways:
    """The arcs and jumps of a graph, by their ends."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.entering: dict[int, list[Arc]] = {}
        self.leaving: dict[int, list[Arc]] = {}
        for arc in graph.arcs:
            if not isinstance(arc.action, Return):
                self.entering.setdefault(arc.target, []).append(arc)
            self.leaving.setdefault(arc.source, []).append(arc)
        self.jumping: dict[int, list[int]] = {}
        self.onwards: dict[int, list[int]] = {}
        for source, target in graph.jumps:
            self.jumping.setdefault(target, []).append(source)
            self.onwards.setdefault(source, []).append(target)


def stores(ways: Ways, region: Region) -> list[Store]:
    """What the paths through a region do that write shared memory."""
    found: list[Store] = []
    pending: list[tuple[int, _Path]] = [(region.begin, _Path())]
    passed = 0
    while pending:
        node, path = pending.pop()
        passed += 1
        if passed > _MOST_STEPS:
            raise Unknown
        if node == region.end:
            if path.writes:
                found.append(path.store())
            continue
        if ways.graph.points[node].failure is None:
            pending += [(target, path) for target in ways.onwards.get(node, ())]
            for arc in ways.leaving.get(node, ()):
                if not is_never_taken(arc):
                    pending.append((arc.target, path.along(arc)))
    if len({tuple(k.target for k in store.kept) for store in found}) > 1:
        raise Unknown
    return found


@dataclass(frozen=True)
class _Path:
    """The effect of a path, in the state before it."""

    guard: tuple[Expr, ...] = ()
    values: tuple[tuple[Variable, Expr], ...] = ()
    writes: tuple[Assignment, ...] = ()

    def along(self, arc: Arc) -> _Path:
        """The effect after one more arc."""
        action = arc.action
        if not isinstance(action, Command) or action.havocs:
            raise Unknown
        known: dict[Place, Expr] = {VariablePlace(v): value for v, value in self.values}
        guard = _substituted(action.guard, known)
        given = [
            (_substituted_place(a.target, known), _substituted(a.value, known))
            for a in action.assignments
        ]
        if self.writes and any(mentions_shared(e) for e in (guard, *(v for _, v in given))):
            raise Unknown
        writes = list(self.writes)
        for target, value in given:
            if is_shared(target):
                writes.append(Assignment(target, value))
            elif isinstance(target, VariablePlace):
                known[target] = value
            else:
                raise Unknown
        values = ((p.variable, v) for p, v in known.items() if isinstance(p, VariablePlace))
        return _Path((*self.guard, guard), tuple(values), tuple(writes))

    def store(self) -> Store:
        """The whole."""
        kept = tuple(
            Assignment(VariablePlace(variable), value)
            for variable, value in sorted(self.values, key=lambda item: item[0].name)
        )
        return Store(conjunction(self.guard), self.writes, kept)


def is_never_taken(arc: Arc) -> bool:
    """Whether an arc only says what may happen, and no run takes it."""
    return arc.operation is not None and arc.operation.kind in _NEVER_TAKEN


def _substituted(expr: Expr, values: Mapping[Place, Expr]) -> Expr:
    if not values:
        return expr
    if isinstance(expr, Read) and expr.place in values:
        return values[expr.place]
    return rebuild(expr, lambda part: _substituted(part, values))


def _substituted_place(place: Place, values: Mapping[Place, Expr]) -> Place:
    return rebuild_place(place, lambda part: _substituted(part, values))


def variables(expr: Expr) -> set[Variable]:
    """The thread's own variables that an expression mentions."""
    found: set[Variable] = set()
    for part in subexpressions(expr):
        for place in _places(part):
            base = root(place)
            if isinstance(base, VariablePlace) and not is_shared(place):
                found.add(base.variable)
    return found


def _places(part: Expr) -> Iterator[Place]:
    place = getattr(part, "place", None)
    if place is not None:
        yield place
