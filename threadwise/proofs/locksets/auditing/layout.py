"""Where concrete cells are in folded memory, and what is around them: read off the types."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.layout import ThreadNumbers, extent_of, field_offset, size_of
from threadwise.ir.types import (
    ArrayType,
    MutexType,
    PerThread,
    RecordType,
    Type,
    fields_of,
)


class Around(NamedTuple):
    """A part of an object that a cell is in, and the member or index that leads on to it."""

    type: Type
    start: int
    step: str | int


@dataclass(frozen=True)
class Shape:
    """The cells of a type, concrete and folded."""

    type: Type
    numbers: ThreadNumbers

    @cached_property
    def size(self) -> int:
        """How many cells there are."""
        return size_of(self.type, self.numbers)

    @cached_property
    def folded(self) -> tuple[int, ...]:
        """The folded cell of each concrete one: indices do not count."""
        return tuple(self._folded(self.type))

    def _folded(self, held: Type) -> list[int]:
        match held:
            case ArrayType(element):
                return self._folded(element) * extent_of(held, self.numbers)
            case RecordType() | MutexType():
                cells: list[int] = []
                start = 0
                for _, part in fields_of(held):
                    cells += [start + cell for cell in self._folded(part)]
                    start += folds(part)
                return cells
            case _:
                return [0]

    @cached_property
    def ends(self) -> dict[int, frozenset[int]]:
        """Per place in memory, the folded beginnings of the parts that end there.

        A pointer there may be one that went to the end of an array.
        """
        found: dict[int, set[int]] = {}
        for start, first, held in self._parts(self.type, 0, 0):
            found.setdefault(start + size_of(held, self.numbers), set()).add(first)
        return {end: frozenset(firsts) for end, firsts in found.items()}

    def _parts(self, held: Type, start: int, first: int) -> Iterator[tuple[int, int, Type]]:
        yield start, first, held
        match held:
            case ArrayType(element):
                size = size_of(element, self.numbers)
                for position in range(extent_of(held, self.numbers)):
                    yield from self._parts(element, start + position * size, first)
            case RecordType() | MutexType():
                for _, part in fields_of(held):
                    yield from self._parts(part, start, first)
                    start += size_of(part, self.numbers)
                    first += folds(part)
            case _:
                pass

    def around(self, cell: int) -> list[Around]:
        """The parts that a cell is in, from the outside."""
        found: list[Around] = []
        held, start = self.type, 0
        while True:
            match held:
                case ArrayType(element):
                    size = size_of(element, self.numbers)
                    position = (cell - start) // size
                    found.append(Around(held, start, position))
                    held, start = element, start + position * size
                case RecordType() | MutexType():
                    for name, part in fields_of(held):
                        inner = start + field_offset(held, name, self.numbers)
                        if inner <= cell < inner + size_of(part, self.numbers):
                            found.append(Around(held, start, name))
                            held, start = part, inner
                            break
                    else:
                        return found
                case _:
                    return found

    def follow(self, steps: tuple[str | int, ...], held: Type, start: int) -> int | None:
        """The cell that members and indices lead to; None if there are no such."""
        for step in steps:
            match held, step:
                case ArrayType(element), int(position):
                    if not 0 <= position < extent_of(held, self.numbers):
                        return None
                    start += position * size_of(element, self.numbers)
                    held = element
                case RecordType() | MutexType(), str(name):
                    if name not in dict(fields_of(held)):
                        return None
                    start += field_offset(held, name, self.numbers)
                    held = dict(fields_of(held))[name]
                case _:
                    return None
        return start


def folds(held: Type) -> int:
    """How many folded cells a type has, also if there are no elements."""
    match held:
        case ArrayType(element):
            return folds(element)
        case RecordType() | MutexType():
            return sum(folds(part) for _, part in fields_of(held))
        case _:
            return 1


def per_thread(held: Type) -> str | None:
    """The template for whose threads there is an element each."""
    match held:
        case ArrayType(_, PerThread(template)):
            return template
        case _:
            return None
