"""Inputs that are only compared: a few values stand for all.

`x = nondet()` may take any of 2^32 values. If they are only copied, compared with constants, and
compared with each other for equality, then all that matters of a value is which constants it
lies between, and which other values it equals. One value from each gap between the constants does
for all others (with equality: as many as there are cells that could hold different ones): every
run of the program corresponds to one with these values that takes the same steps, and they are
values that it may take anyway. So the havoc becomes a choice between them; no verdict changes.

Where any number of threads may be created, no number of values is enough for equality: proofs may
be about more threads than a search has room for.

Variables that values are copied between form one class (flow-insensitively). A class that is used
in any other way - in arithmetic, as an index, through a pointer - keeps its havocs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from threadwise.frontends.c.lower.graph import Arc, Graph
from threadwise.frontends.c.lower.values.arithmetic import constant
from threadwise.frontends.c.lower.values.types import scalar_cells
from threadwise.ir.commands import Action, Allocate, Assignment, Call, Command
from threadwise.ir.expr import (
    COMPARISONS,
    AddressOf,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    IsWritten,
    Place,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    children,
    number,
    place_expressions,
    root,
)
from threadwise.ir.types import (
    ArrayType,
    MachineType,
    MutexType,
    PerThread,
    RecordType,
    Type,
    fields_of,
)

_VALUES_LIMIT = 64
"""More values than this are not listed."""

Key = tuple[int, Variable, tuple[str, ...]]
"""A variable: of which body (-1: global), which, and which field of it (in any element)."""


@dataclass
class _Class:
    """Variables whose values flow into each other."""

    constants: set[int] = field(default_factory=set)
    equated: bool = False
    """Whether members are compared with each other."""
    computed: bool = False
    """Whether values arrive that are neither inputs nor constants."""
    other: bool = False
    """Whether something else happens to the values."""

    def take(self, of: _Class) -> None:
        self.constants |= of.constants
        self.equated |= of.equated
        self.computed |= of.computed
        self.other |= of.other


@dataclass(frozen=True)
class Code:
    """One body: its graph, and how many activations of it there can be; None: any number."""

    graph: Graph
    parameters: tuple[Variable, ...]
    activations: int | None


class Inputs:
    """The classes of one program."""

    def __init__(self, bodies: Sequence[Code], initial: Mapping[Variable, Sequence[Expr]]) -> None:
        self.bodies = bodies
        self._parent: dict[Key, Key] = {}
        self._classes: dict[Key, _Class] = {}
        self._addressed: set[Variable] = set()
        """Globals that pointers may lead to."""
        for variable, cells in initial.items():
            for path, cell in zip(_paths(variable.type), cells, strict=False):
                self._assigned((-1, variable, path), cell, -1)
        for body, code in enumerate(bodies):
            for parameter in code.parameters:
                self._class((body, parameter, ())).computed = True
            for arc in code.graph.arcs:
                self._action(arc.action, body)

    # -- classes -------------------------------------------------------------------------------

    def _find(self, key: Key) -> Key:
        while self._parent.setdefault(key, key) != key:
            self._parent[key] = self._parent[self._parent[key]]
            key = self._parent[key]
        return key

    def _class(self, key: Key) -> _Class:
        return self._classes.setdefault(self._find(key), _Class())

    def _join(self, one: Key, other: Key) -> None:
        first, second = self._find(one), self._find(other)
        if first != second:
            kept, gone = self._class(first), self._class(second)
            self._parent[second] = first
            kept.take(gone)

    def _key(self, place: Place, body: int) -> Key | None:
        base = root(place)
        if not isinstance(base, VariablePlace):
            return None
        shared = base.variable.scope is not Scope.LOCAL
        return (-1 if shared else body, base.variable, _path(place))

    # -- what happens to values ----------------------------------------------------------------

    def _action(self, action: Action, body: int) -> None:
        if not isinstance(action, Command):
            for expr in action_expressions(action):
                self._use(expr, body)
            for place in action_places(action):
                key = self._key(place, body)
                if key is not None and isinstance(action, Call | Allocate):
                    self._class(key).other = True
            return
        self._use(action.guard, body)
        for assignment in action.assignments:
            self._assign(assignment, body)
        for place in action.havocs:
            for expr in place_expressions(place):
                self._use(expr, body)

    def _assign(self, assignment: Assignment, body: int) -> None:
        for expr in place_expressions(assignment.target):
            self._use(expr, body)
        key = self._key(assignment.target, body)
        if key is None:
            self._use(assignment.value, body)
        else:
            self._assigned(key, assignment.value, body)

    def _assigned(self, key: Key, value: Expr, body: int) -> None:
        match value:
            case Const():
                known = constant(value)
                if known is not None:
                    self._class(key).constants.add(known)
            case Read(place):
                source = self._key(place, body)
                for expr in place_expressions(place):
                    self._use(expr, body)
                if source is None:
                    self._class(key).other = True
                else:
                    self._join(key, source)
            case Conditional(condition, then, otherwise):
                self._use(condition, body)
                self._assigned(key, then, body)
                self._assigned(key, otherwise, body)
            case _:
                self._class(key).computed = True
                self._use(value, body)

    def _use(self, expr: Expr, body: int) -> None:
        """An expression that is evaluated for anything but copying."""
        match expr:
            case Binary(op, left, right) if op in COMPARISONS:
                self._compared(op, left, right, body)
            case Read(place):
                key = self._key(place, body)
                if key is not None:
                    self._class(key).other = True
                for inner in place_expressions(place):
                    self._use(inner, body)
            case AddressOf(place):
                base = root(place)
                if isinstance(base, VariablePlace):
                    self._addressed.add(base.variable)
                for inner in place_expressions(place):
                    self._use(inner, body)
            case IsWritten(place):
                for inner in place_expressions(place):
                    self._use(inner, body)
            case _:
                for child in children(expr):
                    self._use(child, body)

    def _compared(self, op: BinaryOp, left: Expr, right: Expr, body: int) -> None:
        keys: list[Key | None] = []
        for side in (left, right):
            key = self._key(side.place, body) if isinstance(side, Read) else None
            keys.append(key)
            if key is None:
                self._use(side, body)
            elif isinstance(side, Read):
                for part in place_expressions(side.place):
                    self._use(part, body)
        one, other = keys
        if one is not None and other is not None and op in (BinaryOp.EQ, BinaryOp.NE):
            self._join(one, other)
            self._class(one).equated = True
            return
        for key, opposite in ((one, right), (other, left)):
            if key is None:
                continue
            known = constant(opposite)
            if known is None:
                self._class(key).other = True
            else:
                self._class(key).constants.add(known)

    # -- the result ----------------------------------------------------------------------------

    def values(self, place: Place, body: int) -> list[int] | None:
        """The values that stand for all values of an input; None if all are needed."""
        key, held = self._key(place, body), place.type
        if key is None or not isinstance(held, MachineType):
            return None
        found = self._class(key)
        members = self._members(key)
        if any(variable in self._addressed for _, variable, _ in members):
            return None
        if found.other or (found.equated and found.computed):
            return None
        cells = self._cells(members) if found.equated else 1
        if cells is None or cells > _VALUES_LIMIT:
            return None
        bounds = _bounds(members) if found.equated else set[int]()
        chosen = sorted(_representatives(found.constants | bounds, cells, held))
        return chosen if len(chosen) <= _VALUES_LIMIT else None

    def _members(self, key: Key) -> list[Key]:
        return self._groups.get(self._find(key), [key])

    @cached_property
    def _groups(self) -> dict[Key, list[Key]]:
        """The members of all classes, once these are known."""
        found: dict[Key, list[Key]] = {}
        for member in list(self._parent):
            found.setdefault(self._find(member), []).append(member)
        return found

    def _cells(self, members: list[Key]) -> int | None:
        """How many cells of a class there can be in a state; None: no bound is known."""
        total = 0
        threads: int | None = 0
        for code in self.bodies:
            threads = (
                None
                if threads is None or code.activations is None
                else (threads + code.activations)
            )
        for body, variable, _ in members:
            times = 1 if body < 0 else self.bodies[body].activations
            if variable.scope is Scope.THREAD or _per_thread(variable.type):
                times = threads
            if times is None:
                return None
            total += times * sum(1 for _ in scalar_cells(_element(variable.type)))
        return total


def _path(place: Place) -> tuple[str, ...]:
    """The fields that lead to a place, whatever the indices."""
    match place:
        case FieldPlace(base, field_name):
            return (*_path(base), field_name)
        case IndexPlace(base, _):
            return _path(base)
        case _:
            return ()


def _paths(held: Type) -> Iterator[tuple[str, ...]]:
    """The path of each cell of a type, in memory order."""
    match held:
        case ArrayType(element, extent):
            for _ in range(extent if isinstance(extent, int) else 1):
                yield from _paths(element)
        case RecordType() | MutexType():
            for name, part in fields_of(held):
                for path in _paths(part):
                    yield (name, *path)
        case _:
            yield ()


def _bounds(members: list[Key]) -> set[int]:
    """Where the members have several types: the bounds of these types.

    They count as constants: so each gap lies inside a type or outside, and members that are
    compared draw the same values from it.
    """
    held = {_held(variable.type, path) for _, variable, path in members}
    if len(held) == 1:
        return set()
    return {bound for one in held if isinstance(one, MachineType) for bound in (one.low, one.high)}


def _held(held: Type, path: tuple[str, ...]) -> Type:
    """The type of a field of a type, in any element."""
    while isinstance(held, ArrayType):
        held = held.element
    if not path or not isinstance(held, RecordType | MutexType):
        return held
    return _held(dict(fields_of(held))[path[0]], path[1:])


def _per_thread(held: Type) -> bool:
    return isinstance(held, ArrayType) and isinstance(held.extent, PerThread)


def _element(held: Type) -> Type:
    return held.element if isinstance(held, ArrayType) and _per_thread(held) else held


def _representatives(constants: set[int], each: int, held: MachineType) -> set[int]:
    """The constants, and so many values from each gap between them."""
    inside = sorted(c for c in constants if held.low <= c <= held.high)
    if not inside:
        return set(range(each))
    found = set(inside)
    edges = [held.low - 1, *inside, held.high + 1]
    for low, high in pairwise(edges):
        gap = range(high - 1, low, -1) if low < held.low else range(low + 1, high)
        found.update(gap[:each])
    return found


def list_inputs(bodies: Sequence[Code], initial: Mapping[Variable, Sequence[Expr]]) -> None:
    """Replace havocs by choices where a few values stand for all."""
    if not any(_wide(arc) for code in bodies for arc in code.graph.arcs):
        return
    inputs = Inputs(bodies, initial)
    for body, code in enumerate(bodies):
        arcs: list[Arc] = []
        for arc in code.graph.arcs:
            arcs.extend(_listed(arc, body, inputs) if _wide(arc) else [arc])
        code.graph.arcs = arcs


def _wide(arc: Arc) -> bool:
    return isinstance(arc.action, Command) and any(
        isinstance(place.type, MachineType) and place.type.width > 6 for place in arc.action.havocs
    )


def _listed(arc: Arc, body: int, inputs: Inputs) -> Iterator[Arc]:
    action = arc.action
    assert isinstance(action, Command)
    choices = [inputs.values(place, body) for place in action.havocs]
    if len(choices) != 1 or choices[0] is None:
        yield arc
        return
    for value in choices[0]:
        given = Assignment(action.havocs[0], number(value))
        changed = Command(action.guard, (*action.assignments, given))
        yield Arc(arc.source, arc.target, changed, arc.span, arc.operation, arc.sync, arc.text)
