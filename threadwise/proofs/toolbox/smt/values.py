"""What a variable is made of: cells that are terms, and tables where they cannot be listed.

    scalar   a term: a truth value for `bool`, an integer for everything else
    Record   the fields of a record or a mutex
    Cells    an array, element by element; `first` is the index of the first
    Table    an array with very many or any number of elements: per cell of an element, one table

A path leads from a variable to a part of it: names of fields, and terms for indices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from threadwise.backends.smt.handle import Term
from threadwise.core.errors import InternalError, Unsupported
from threadwise.proofs.toolbox.smt.terms import Terms

Symbolic: TypeAlias = Any
"""A Term, Record, Cells or Table; terms have no type that Python knows."""
PathStep: TypeAlias = Any
"""A field or an index."""


@dataclass(frozen=True)
class Record:
    """Named fields."""

    fields: tuple[tuple[str, Symbolic], ...]


@dataclass(frozen=True)
class Cells:
    """The elements of an array."""

    elements: tuple[Symbolic, ...]
    first: int


@dataclass(frozen=True)
class Table:
    """An array; in `element` every cell is a table from indices to its values."""

    element: Symbolic


def combined(join: Callable[..., Term], first: Symbolic, *others: Symbolic) -> Symbolic:
    """Values of one shape, joined cell by cell."""
    match first:
        case Record(fields):
            names = [name for name, _ in fields]
            columns = zip(*(zip_values(value) for value in (first, *others)), strict=True)
            joined = [combined(join, *column) for column in columns]
            return Record(tuple(zip(names, joined, strict=True)))
        case Cells(elements, start):
            rows = zip(elements, *(other.elements for other in others), strict=True)
            return Cells(tuple(combined(join, *row) for row in rows), start)
        case Table(element):
            return Table(combined(join, element, *(other.element for other in others)))
        case _:
            return join(first, *others)


def zip_values(record: Record) -> Iterator[Symbolic]:
    """The values of the fields of a record."""
    return (value for _, value in record.fields)


def terms_of(value: Symbolic) -> Iterator[Term]:
    """The terms of a value, in memory order; a table is one term for each cell of an element."""
    match value:
        case Record():
            for part in zip_values(value):
                yield from terms_of(part)
        case Cells(elements, _):
            for element in elements:
                yield from terms_of(element)
        case Table(element):
            yield from terms_of(element)
        case _:
            yield value


class Values:
    """Reading, writing and comparing parts of values."""

    def __init__(self, logic: Terms) -> None:
        self.logic = logic

    def read(self, value: Symbolic, path: Sequence[PathStep]) -> Symbolic:
        """The part that a path leads to; anything if an index is out of bounds."""
        if not path:
            return value
        step, rest = path[0], path[1:]
        match value:
            case Record(fields):
                return self.read(dict(fields)[step], rest)
            case Table(element):
                return self.read(combined(lambda t: self.logic.select(t, step), element), rest)
            case Cells(elements, first):
                if not elements:
                    raise Unsupported("an element of an array without elements")
                found = self.read(elements[-1], rest)
                known = self.logic.numeral(step)
                if known is not None and 0 <= known - first < len(elements):
                    return self.read(elements[known - first], rest)
                for position in reversed(range(len(elements) - 1)):
                    here = self.logic.equal(step, self.logic.integer(first + position))
                    found = self.choice(here, self.read(elements[position], rest), found)
                return found
            case _:
                raise InternalError("a path into a scalar")

    def write(self, value: Symbolic, path: Sequence[PathStep], new: Symbolic) -> Symbolic:
        """The value with one part replaced; unchanged if an index is out of bounds."""
        if not path:
            return new
        step, rest = path[0], path[1:]
        match value:
            case Record(fields):
                return Record(
                    tuple(
                        (name, self.write(part, rest, new) if name == step else part)
                        for name, part in fields
                    )
                )
            case Table(element):
                old = combined(lambda t: self.logic.select(t, step), element)
                after = self.write(old, rest, new)
                return Table(combined(lambda t, v: self.logic.store(t, step, v), element, after))
            case Cells(elements, first):
                return Cells(
                    tuple(
                        self._written(element, first + position, path, new)
                        for position, element in enumerate(elements)
                    ),
                    first,
                )
            case _:
                raise InternalError("a path into a scalar")

    def _written(
        self, element: Symbolic, index: int, path: Sequence[PathStep], new: Symbolic
    ) -> Symbolic:
        here = self.logic.equal(path[0], self.logic.integer(index))
        if self.logic.is_false(here):
            return element
        return self.choice(here, self.write(element, path[1:], new), element)

    def choice(self, condition: Term, then: Symbolic, otherwise: Symbolic) -> Symbolic:
        """The one or the other, cell by cell."""
        return combined(lambda a, b: self.logic.choice(condition, a, b), then, otherwise)

    def equal(self, left: Symbolic, right: Symbolic) -> Term:
        """Whether two values of one type are the same, cell by cell."""
        pairs = zip(terms_of(left), terms_of(right), strict=True)
        return self.logic.conjunction([self.logic.equal(a, b) for a, b in pairs])
