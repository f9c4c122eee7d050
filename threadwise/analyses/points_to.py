"""Which addresses a pointer can hold.

Computed without regard to order (Andersen 1994, one set per variable): constants, addresses of
cells, copies, and steps of constant length. Where something else is stored, nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from threadwise.ir.commands import Action, Command
from threadwise.ir.expr import (
    AddressOf,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IntToPointer,
    Place,
    PointerAdd,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import action_places, root
from threadwise.ir.layout import NO_THREADS, field_offset, has_static_size, size_of
from threadwise.ir.program import Program, stated_values
from threadwise.ir.types import (
    INTEGER_OBJECT,
    NULL,
    UNSET,
    Address,
    MutexType,
    PointerType,
    RecordType,
    Value,
)

Targets = frozenset[Value] | None
"""The values a pointer can have; None if they are not known."""

MOST_VALUES = 32
"""A variable with more addresses than this may hold any."""


class PointsTo:
    """What the pointers in each variable can point to."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.names = [declaration.variable.name for declaration in program.globals]
        self.numbers = {name: number for number, name in enumerate(self.names)}
        self.sets: dict[str, Targets] = {}
        self._lost = False
        """Whether something unknown is stored who knows where: then nothing is known of any."""
        self._initial()
        flows = [
            (target, value, procedure.name)
            for procedure in program.procedures
            for edge in procedure.edges
            for target, value in _flows(edge.action)
        ]
        while self._follow(flows):
            pass

    def _follow(self, flows: Iterable[tuple[Place, Expr | None, str]]) -> bool:
        """Whether going through all flows once found something, and more may be found."""
        changed = False
        for target, value, procedure in flows:
            found = None if value is None else self.of(value, procedure)
            changed |= self._add(target, found, procedure)
            if self._lost:
                return False
        return changed

    def _initial(self) -> None:
        for declaration, procedure in self.program.declarations:
            values = stated_values(declaration.initial)
            found = {v for v in values if v is NULL or isinstance(v, Address)}
            key = _key(declaration.variable, procedure)
            self.sets[key] = None if UNSET in found else frozenset({NULL, *found})
        for procedure_ in self.program.procedures:
            for parameter in procedure_.parameters:
                pointer = isinstance(parameter.type, PointerType)
                self.sets[_key(parameter, procedure_.name)] = None if pointer else frozenset()

    def _add(self, target: Place, found: Targets, procedure: str) -> bool:
        keys = self._holders(target, procedure)
        if keys is None:
            self._lost = True
            self.sets = dict.fromkeys(self.sets)
            return True
        changed = False
        for key in keys:
            before = self.sets[key]
            after = None if before is None or found is None else before | found
            if after is not None and len(after) > MOST_VALUES:
                after = None
            if after != before:
                self.sets[key] = after
                changed = True
        return changed

    def _holders(self, place: Place, procedure: str) -> list[str] | None:
        """The variables a place may be part of; None if that is not known."""
        base = root(place)
        if isinstance(base, VariablePlace):
            return [_key(base.variable, procedure)]
        targets = self.of(base.pointer, procedure)
        if targets is None:
            return None
        return [
            self.names[t.number]
            for t in targets
            if isinstance(t, Address) and 0 <= t.number < len(self.names)
        ]

    def of(self, expr: Expr, procedure: str) -> Targets:
        """The values of a pointer expression."""
        match expr:
            case Const(value, _):
                return None if value == UNSET else frozenset({value})
            case AddressOf(place):
                return self._address(place, procedure)
            case Read(place):
                holders = self._holders(place, procedure)
                if holders is None:
                    return None
                return _union(self.sets[key] for key in holders)
            case Conditional(_, then, otherwise):
                return _union((self.of(then, procedure), self.of(otherwise, procedure)))
            case PointerAdd(pointer, Const(int(count), _), element) if has_static_size(element):
                moved = count * size_of(element, NO_THREADS)
                found = self.of(pointer, procedure)
                return None if found is None else frozenset(_moved(v, moved) for v in found)
            case IntToPointer(Const(int(value), _)):
                return frozenset({Address(INTEGER_OBJECT, value) if value else NULL})
            case _:
                return None

    def _address(self, place: Place, procedure: str) -> Targets:
        match place:
            case VariablePlace(variable):
                return frozenset({Address(self.numbers[variable.name], 0)})
            case DerefPlace(pointer, _):
                return self.of(pointer, procedure)
            case FieldPlace(base, field):
                held = base.type
                assert isinstance(held, RecordType | MutexType)
                if not has_static_size(held):
                    return None
                offset = field_offset(held, field, NO_THREADS)
            case IndexPlace(base, Const(int(position), _)) if has_static_size(base.type):
                offset = position * size_of(place.type, NO_THREADS)
            case _:
                return None
        found = self._address(base, procedure)
        return None if found is None else frozenset(_moved(v, offset) for v in found)


def _flows(action: Action) -> Iterator[tuple[Place, Expr | None]]:
    """The pointers an action stores, and where; None for one that is not known."""
    if isinstance(action, Command):
        for assignment in action.assignments:
            if isinstance(assignment.target.type, PointerType):
                yield assignment.target, assignment.value
        for place in action.havocs:
            if isinstance(place.type, PointerType):
                yield place, None
    else:
        for place in action_places(action):  # a result, a fresh object
            yield place, None


def _key(variable: Variable, procedure: str) -> str:
    if variable.scope is Scope.GLOBAL:
        return variable.name
    return f"{procedure if variable.scope is Scope.LOCAL else ''}::{variable.name}"


def _union(sets: Iterable[Targets]) -> Targets:
    found: set[Value] = set()
    for targets in sets:
        if targets is None:
            return None
        found |= targets
    return frozenset(found)


def _moved(value: Value, cells: int) -> Value:
    if isinstance(value, Address) and value.number >= 0:
        return Address(value.number, value.offset + cells)
    return value
