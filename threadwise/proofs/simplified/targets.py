"""The addresses that pointers can hold: sets per variable, closed under every edge.

A set that is missing, or None, says nothing. What is stored through a pointer is stored in every
variable that the pointer may point into; where that is not known, no set may be claimed at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import product

from threadwise.ir.commands import Action, Command
from threadwise.ir.expr import (
    AddressOf,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    HoldsInteger,
    IndexPlace,
    IntToPointer,
    IsAllocated,
    IsValid,
    IsWritten,
    Place,
    PointerAdd,
    PointerToInt,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import action_places, root, subexpressions
from threadwise.ir.layout import NO_THREADS, field_offset, has_static_size, size_of
from threadwise.ir.mentions import edge_expressions
from threadwise.ir.program import AnyValue, Edge, Program, stated_values
from threadwise.ir.types import (
    INTEGER_OBJECT,
    NULL,
    POINTER,
    UNSET,
    Address,
    ArrayType,
    MutexType,
    PointerType,
    RecordType,
    Type,
    Value,
)
from threadwise.proofs.base.answer import Refuted

Targets = frozenset[Value] | None
Claims = Mapping[str, Targets]

MOST_CASES = 64
"""More combinations of values at one edge are not considered."""


class Pointers:
    """What is claimed of the pointers of a program."""

    def __init__(self, program: Program, claims: Claims) -> None:
        self.program = program
        self.claims = claims
        self.numbers = {d.variable.name: n for n, d in enumerate(program.globals)}
        self.names = list(self.numbers)

    @cached_property
    def _says_something(self) -> bool:
        """Whether anything is claimed of any pointer."""
        return any(claim is not None for claim in self.claims.values())

    def check(self) -> None:
        """Raises Refuted unless the sets are closed."""
        for declaration, procedure in self.program.declarations:
            if _holds_pointer(declaration.variable.type):
                values = stated_values(declaration.initial)
                start: Targets = frozenset({NULL, *(v for v in values if isinstance(v, Address))})
                if isinstance(declaration.initial, AnyValue):
                    start = None
                self._includes(_key(declaration.variable, procedure), start)
        for procedure_ in self.program.procedures:
            for parameter in procedure_.parameters:
                if _holds_pointer(parameter.type):
                    self._includes(_key(parameter, procedure_.name), None)
            for edge in procedure_.edges:
                for place, value in _stored(edge.action):
                    found = None if value is None else self.of(value, procedure_.name)
                    self._check_store(place, found, procedure_.name)

    def _check_store(self, place: Place, found: Targets, procedure: str) -> None:
        keys = self._holders(place, procedure)
        if keys is None:
            if self._says_something:
                raise Refuted("a pointer may be stored anywhere")
            return
        for key in keys:
            self._includes(key, found)

    def _includes(self, key: str, found: Targets) -> None:
        claimed = self.claims.get(key)
        if claimed is not None and (found is None or UNSET in found or not found <= claimed):
            raise Refuted(f"`{key}` may point elsewhere")

    def _holders(self, place: Place, procedure: str) -> list[str] | None:
        """The variables a place may be part of; None if that is not known."""
        base = root(place)
        if isinstance(base, VariablePlace):
            return [_key(base.variable, procedure)]
        found = self.of(base.pointer, procedure)
        if found is None:
            return None
        numbers = {value.number for value in found if isinstance(value, Address)}
        return [self.names[n] for n in sorted(numbers) if 0 <= n < len(self.names)]

    def of(self, expr: Expr, procedure: str) -> Targets:
        """The values that a pointer can have; None if they are not known."""
        match expr:
            case Const(value, _):
                return None if value == UNSET else frozenset({value})
            case AddressOf(place):
                return self._address(place, procedure)
            case Read(place):
                keys = self._holders(place, procedure)
                return None if keys is None else _all(self.claims.get(key) for key in keys)
            case Conditional(_, then, otherwise):
                return _all((self.of(then, procedure), self.of(otherwise, procedure)))
            case PointerAdd(pointer, Const(int(count), _), element) if has_static_size(element):
                found = self.of(pointer, procedure)
                return _moved(found, count * size_of(element, NO_THREADS))
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
            case FieldPlace(base, field) if has_static_size(base.type):
                assert isinstance(base.type, RecordType | MutexType)
                moved = field_offset(base.type, field, NO_THREADS)
                return _moved(self._address(base, procedure), moved)
            case IndexPlace(base, Const(int(position), _)) if has_static_size(base.type):
                moved = position * size_of(place.type, NO_THREADS)
                return _moved(self._address(base, procedure), moved)
            case _:
                return None

    def cases(self, edge: Edge) -> list[dict[Expr, Const]]:
        """The combinations of values that the pointers at an edge can have, as far as known."""
        procedure = self.program.procedure_of[edge.source].name
        pointers = list(_pointers(edge))
        sets: list[list[Value]] = []
        for pointer in pointers:
            found = self.of(pointer, procedure)
            if found is None:
                return [{}]
            sets.append(sorted(found, key=_order))
        total = 1
        for values in sets:
            total *= len(values)
        if total > MOST_CASES:
            return [{}]
        return [
            {pointer: Const(v, POINTER) for pointer, v in zip(pointers, chosen, strict=True)}
            for chosen in product(*sets)
        ]


def _pointers(edge: Edge) -> Iterator[Expr]:
    """The pointers that an edge follows or asks about, once each."""
    found: dict[Expr, None] = {}
    for place in action_places(edge.action):
        base = root(place)
        if isinstance(base, DerefPlace):
            found[base.pointer] = None
    for expr in edge_expressions(edge):
        for part in subexpressions(expr):
            match part:
                case IsValid(pointer, _) | HoldsInteger(pointer) | PointerToInt(pointer):
                    found[pointer] = None
                case IsAllocated(pointer):
                    found[pointer] = None
                case Read(place) | IsWritten(place) | AddressOf(place):
                    base = root(place)
                    if isinstance(base, DerefPlace):
                        found[base.pointer] = None
                case _:
                    pass
    return iter(found)


def _stored(action: Action) -> Iterator[tuple[Place, Expr | None]]:
    """The pointers that an action stores; None for one that may be anything."""
    if isinstance(action, Command):
        for assignment in action.assignments:
            if isinstance(assignment.target.type, PointerType):
                yield assignment.target, assignment.value
        for place in action.havocs:
            if isinstance(place.type, PointerType):
                yield place, None
    else:
        yield from ((place, None) for place in action_places(action))


def _holds_pointer(held: Type) -> bool:
    match held:
        case PointerType():
            return True
        case ArrayType(element, _):
            return _holds_pointer(element)
        case RecordType(_, fields):
            return any(_holds_pointer(part) for _, part in fields)
        case _:
            return False


def _key(variable: Variable, procedure: str) -> str:
    if variable.scope is Scope.GLOBAL:
        return variable.name
    return f"{procedure if variable.scope is Scope.LOCAL else ''}::{variable.name}"


def _all(sets: Iterable[Targets]) -> Targets:
    found: set[Value] = set()
    for targets in sets:
        if targets is None:
            return None
        found |= targets
    return frozenset(found)


def _moved(found: Targets, cells: int) -> Targets:
    if found is None:
        return None
    return frozenset(
        Address(v.number, v.offset + cells) if isinstance(v, Address) and v.number >= 0 else v
        for v in found
    )


def _order(value: Value) -> tuple[int, int]:
    return (value.number, value.offset) if isinstance(value, Address) else (-3, 0)
