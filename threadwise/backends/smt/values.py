"""Symbolic values: what a variable of each type is made of.

    scalar     a term: Bool for `bool`, Int for everything else; `none` is -1
    pointer    a pair of Int terms: object and offset; null is (-1, 0)
    Cells      an array, element by element
    Table      an array as a table of the solver: for each scalar part, a map from index to value
    OwnCells   an array with a cell per thread of which only some threads' cells are looked at
    Record     the fields of a record or a mutex

A path leads from a variable to a part: field names and index terms. Reading and writing through an
index that is no numeral makes case distinctions over `Cells`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from threadwise.backends.smt.logic import Logic, Term
from threadwise.core.errors import InternalError, Unsupported
from threadwise.ir.types import (
    ArrayType,
    BoolType,
    EnumType,
    IntType,
    MachineType,
    PerThread,
    PointerType,
    RangeType,
    ScalarType,
    TidType,
    Type,
)

NULL_OBJECT = -1


@dataclass(frozen=True)
class Pointer:
    """An address: the number of its object, the offset in it."""

    number: Term
    offset: Term


@dataclass(frozen=True)
class Cells:
    """The elements of an array; `first` is the index of the first."""

    elements: tuple[Symbolic, ...]
    first: Term


@dataclass(frozen=True)
class Table:
    """An array whose scalar parts are tables of the solver, indexed alike."""

    parts: Symbolic


@dataclass(frozen=True)
class OwnCells:
    """The cells of some threads, each named by the term for its id."""

    ids: tuple[Term, ...]
    elements: tuple[Symbolic, ...]


@dataclass(frozen=True)
class Record:
    """Named fields."""

    fields: tuple[tuple[str, Symbolic], ...]


Symbolic: TypeAlias = Any
"""A Term, Pointer, Cells, Table, OwnCells or Record; terms have no type that Python knows."""
Step: TypeAlias = Any
"""One step of a path: a field or an index."""


class Values:
    """Reading, writing and comparing symbolic values."""

    def __init__(self, logic: Logic) -> None:
        self.logic = logic

    # -- reading and writing ----------------------------------------------------------------------

    def read(self, value: Symbolic, path: Sequence[Step]) -> Symbolic:
        """The part that a path leads to; anything if an index is out of bounds."""
        if not path:
            return value
        first, rest = path[0], path[1:]
        match value:
            case Record(fields):
                return self.read(dict(fields)[first], rest)
            case Table(parts):
                chosen = map_terms(lambda table: self.logic.select(table, first), parts)
                return self.read(chosen, rest)
            case OwnCells(ids, elements):
                return self.read(elements[_position(ids, first)], rest)
            case Cells(elements, start):
                found = [self.read(element, rest) for element in elements]
                if not found:
                    raise Unsupported("an element of an array without elements")
                return self._pick(found, first, start)
            case _:
                raise InternalError("a path into a scalar")

    def _pick(self, elements: Sequence[Symbolic], index: Term, start: Term) -> Symbolic:
        known = self._known_position(index, start)
        if known is not None and 0 <= known < len(elements):
            return elements[known]
        result = elements[-1]
        for position in range(len(elements) - 2, -1, -1):
            here = self.logic.equal(index, self._shifted(start, position))
            result = self.choice(here, elements[position], result)
        return result

    def write(self, value: Symbolic, path: Sequence[Step], new: Symbolic) -> Symbolic:
        """The value with one part replaced; unchanged if an index is out of bounds."""
        if not path:
            return new
        first, rest = path[0], path[1:]
        match value:
            case Record(fields):
                changed = tuple(
                    (name, self.write(part, rest, new) if name == first else part)
                    for name, part in fields
                )
                return Record(changed)
            case Table(parts):
                old = map_terms(lambda table: self.logic.select(table, first), parts)
                after = self.write(old, rest, new)
                return Table(
                    combine(lambda table, v: self.logic.store(table, first, v), parts, after)
                )
            case OwnCells(ids, elements):
                at = _position(ids, first)
                part = self.write(elements[at], rest, new)
                return replace(value, elements=(*elements[:at], part, *elements[at + 1 :]))
            case Cells(elements, start):
                return replace(value, elements=self._written(elements, start, path, new))
            case _:
                raise InternalError("a path into a scalar")

    def _written(
        self, elements: tuple[Symbolic, ...], start: Term, path: Sequence[Step], new: Symbolic
    ) -> tuple[Symbolic, ...]:
        index, rest = path[0], path[1:]
        known = self._known_position(index, start)
        if known is not None:
            return tuple(
                self.write(element, rest, new) if position == known else element
                for position, element in enumerate(elements)
            )
        return tuple(
            self.choice(
                self.logic.equal(index, self._shifted(start, position)),
                self.write(element, rest, new),
                element,
            )
            for position, element in enumerate(elements)
        )

    def _known_position(self, index: Term, start: Term) -> int | None:
        at, begin = self.logic.known_integer(index), self.logic.known_integer(start)
        return None if at is None or begin is None else at - begin

    def _shifted(self, start: Term, position: int) -> Term:
        begin = self.logic.known_integer(start)
        return start + position if begin is None else self.logic.integer(begin + position)

    # -- whole values -----------------------------------------------------------------------------

    def choice(self, condition: Term, then: Symbolic, otherwise: Symbolic) -> Symbolic:
        """The one or the other, part by part."""
        return combine(lambda a, b: self.logic.choice(condition, a, b), then, otherwise)

    def equal(self, left: Symbolic, right: Symbolic) -> Term:
        """Whether two values of one type are the same, part by part."""
        pairs = zip(terms_of(left), terms_of(right), strict=True)
        return self.logic.conjunction([self.logic.equal(a, b) for a, b in pairs])


def _position(ids: Sequence[Term], wanted: Step) -> int:
    for position, known in enumerate(ids):
        if known.eq(wanted):
            return position
    raise Unsupported("the cell of a thread that is not looked at")


def terms_of(value: Symbolic) -> Iterator[Term]:
    """The terms a value is made of, in memory order (a table is one term per scalar part)."""
    match value:
        case Pointer(number, offset):
            yield number
            yield offset
        case Cells(elements, _) | OwnCells(_, elements):
            for element in elements:
                yield from terms_of(element)
        case Table(parts):
            yield from terms_of(parts)
        case Record(fields):
            for _, part in fields:
                yield from terms_of(part)
        case _:
            yield value


def map_terms(change: Callable[[Term], Term], value: Symbolic) -> Symbolic:
    """The value with each term changed."""
    return combine(lambda term, _: change(term), value, value)


def combine(join: Callable[[Term, Term], Term], left: Symbolic, right: Symbolic) -> Symbolic:
    """Two values of one shape, joined term by term."""
    match left:
        case Pointer():
            return Pointer(join(left.number, right.number), join(left.offset, right.offset))
        case Cells() | OwnCells():
            pairs = zip(left.elements, right.elements, strict=True)
            return replace(left, elements=tuple(combine(join, a, b) for a, b in pairs))
        case Table():
            return Table(combine(join, left.parts, right.parts))
        case Record():
            both = zip(left.fields, right.fields, strict=True)
            return Record(tuple((name, combine(join, a, b)) for (name, a), (_, b) in both))
        case _:
            return join(left, right)


def in_type(logic: Logic, scalar: ScalarType, term: Term) -> Term:
    """Whether a term is a value of a scalar type; ids and pointers are checked elsewhere."""
    match scalar:
        case BoolType() | IntType() | TidType() | PointerType():
            return logic.true
        case EnumType(_, members):
            return logic.conjunction([term >= 0, term < len(members)])
        case RangeType() | MachineType():
            return logic.conjunction([term >= scalar.low, term <= scalar.high])


def is_per_thread(held: Type) -> bool:
    """Whether a type is an array with a cell for each thread of a template."""
    return isinstance(held, ArrayType) and isinstance(held.extent, PerThread)
