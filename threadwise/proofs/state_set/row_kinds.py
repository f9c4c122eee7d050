"""Which rows of a table look the same to a formula.

A formula without quantifiers is a function of the cells that it names: those of the global
variables in it (of an array with one element for each thread, those of a thread that it speaks
of), and where such a thread is, and its own cells. Rows that agree in them are of one kind; the
formula has the same value in all of them, or none. So it is evaluated in one row of each kind.

Only nodes that are listed here are known to read nothing else; a formula with another one, one
that follows pointers for example, has no kinds. Neither has one that could see so many different
contents that there is nothing to gain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import (
    AtLabel,
    Binary,
    Clamp,
    Conditional,
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    IsInstance,
    Place,
    Read,
    Scope,
    ThreadAt,
    ThreadRead,
    ThreadVariable,
    Unary,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import root, subexpressions
from threadwise.ir.layout import ProgramLayout, size_of
from threadwise.ir.types import ArrayType, PerThread
from threadwise.proofs.state_set.table import Columns

Column = npt.NDArray[np.int64]

ROWS_PER_KIND = 4
"""There must be so many rows for each kind that there could be."""

_OF_OPERANDS = (
    Const,
    Unary,
    Binary,
    Conditional,
    Wrap,
    Clamp,
    ThreadVariable,
    IsInstance,
    ThreadAt,
)
"""Nodes whose value depends on those of their operands, and on which threads are meant."""


@dataclass(frozen=True)
class Kinds:
    """The kind of each row, and one row of each kind that there is."""

    of: npt.NDArray[np.intp]
    examples: npt.NDArray[np.intp]
    """By kind the number of a row of it; -1 if there is none."""

    @property
    def rows(self) -> npt.NDArray[np.intp]:
        """One row of each kind."""
        return self.examples[self.examples >= 0]

    def everywhere(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Values in `rows`, in all rows."""
        spread = np.zeros(len(self.examples), dtype=values.dtype)
        spread[self.examples >= 0] = values
        return spread[self.of]


class CellsRead:
    """The columns that a formula reads, by the threads that its variables stand for."""

    def __init__(self, formula: Expr, layout: ProgramLayout, columns: Columns) -> None:
        self._columns = columns
        shared: set[int] = set()
        self._located: set[str] = set()
        """The variables of threads whose location it reads."""
        self._opened: set[str] = set()
        """Those whose own cells it reads."""
        self._elements: dict[str, set[tuple[int, int, int]]] = {}
        """Arrays of which it reads the element of a thread: the first cell, how many an element
        has, and whose the first one is."""
        self._known = True
        for part in subexpressions(formula):
            match part:
                case Read(place) if (element := _own_element(place)) is not None:
                    name, array, thread = element
                    first = layout.globals.offset[name]
                    size = size_of(array.element, layout.numbers)
                    start = layout.numbers.ranges[thread.template].start
                    self._elements.setdefault(thread.name, set()).add((first, size, start))
                case Read(place):
                    base = root(place)
                    if isinstance(base, VariablePlace) and base.variable.scope is Scope.GLOBAL:
                        first = layout.globals.offset[base.variable.name]
                        size = size_of(base.variable.type, layout.numbers)
                        shared.update(range(first, first + size))
                    else:
                        self._known = False
                case AtLabel(thread, _, _):
                    self._located.add(thread.name)
                case ThreadRead(thread, place) if isinstance(root(place), VariablePlace):
                    self._opened.add(thread.name)
                case _:
                    self._known = self._known and isinstance(part, _OF_OPERANDS)
        self._shared = tuple(sorted(shared))

    def groups(self, threads: Mapping[str, int]) -> list[tuple[int, ...]] | None:
        """The shared cells, and those of each thread; None if there may be others."""
        named = self._located | self._opened | self._elements.keys()
        if not self._known or not threads.keys() >= named:
            return None
        groups = [self._shared] if self._shared else []
        groups += [self._of_thread(name, threads[name]) for name in sorted(named)]
        return groups

    def _of_thread(self, name: str, thread: int) -> tuple[int, ...]:
        found: list[int] = []
        if name in self._located | self._opened:
            found.append(self._columns.location[thread])
        if name in self._opened:
            found.extend(self._columns.own(thread))
        for first, size, start in sorted(self._elements.get(name, ())):
            begin = first + size * (thread - start)
            found.extend(range(begin, begin + size))
        return tuple(found)


def _own_element(place: Place) -> tuple[str, ArrayType, ThreadVariable] | None:
    """The shared array with an element for each thread of which this is a thread's, or a part."""
    while isinstance(place, FieldPlace):
        place = place.base
    match place:
        case IndexPlace(VariablePlace(variable), ThreadVariable(_, template) as thread):
            array = variable.type
            if variable.scope is not Scope.GLOBAL or not isinstance(array, ArrayType):
                return None
            if array.extent == PerThread(template):
                return variable.name, array, thread
        case _:
            pass
    return None


class RowKinds:
    """The kinds of rows for one formula, by the threads that its variables stand for."""

    def __init__(
        self,
        formula: Expr,
        layout: ProgramLayout,
        columns: Columns,
        column: Callable[[int], Column],
    ) -> None:
        self._column = column
        self._read = CellsRead(formula, layout, columns)
        self._numbers: dict[tuple[int, ...], tuple[Column, int] | None] = {}

    def with_threads(self, threads: Mapping[str, int]) -> Kinds | None:
        """The kinds for a choice of threads; None if they are unknown, or too many."""
        groups = self._read.groups(threads)
        if groups is None:
            return None
        parts = [self._number(group) for group in groups]
        found = _joined(part for part in parts if part is not None)
        if None in parts or found is None:
            return None
        numbers, count = found
        examples = np.full(count, -1, dtype=np.intp)
        examples[numbers] = np.arange(len(numbers))
        return Kinds(numbers, examples)

    def _number(self, group: tuple[int, ...]) -> tuple[Column, int] | None:
        """Numbers from 0 on for what some columns contain; None if that may be too much."""
        if group not in self._numbers:
            columns = (self._column(number) for number in group)
            found = _joined(map(_from_zero, columns))
            self._numbers[group] = None if found is None else _dense(*found)
        return self._numbers[group]


def _from_zero(column: Column) -> tuple[Column, int]:
    low, high = (int(column.min()), int(column.max())) if len(column) else (0, 0)
    if high - low >= len(column):
        return column, high - low + 1  # too many: `_joined` does not look at it
    return column - low, high - low + 1


def _joined(parts: Iterable[tuple[Column, int]]) -> tuple[Column, int] | None:
    """One number for several, and how many of them there could be."""
    numbers: Column = np.zeros(1, dtype=np.int64)
    count = 1
    for part, size in parts:
        count *= size
        if count * ROWS_PER_KIND > len(part):
            return None
        numbers = numbers * size + part
    return numbers, count


def _dense(numbers: Column, count: int) -> tuple[Column, int]:
    """The same without numbers that do not occur."""
    occurs = np.zeros(count, dtype=np.bool_)
    occurs[numbers] = True
    ranks = np.cumsum(occurs) - 1
    return ranks[numbers], int(ranks[-1]) + 1
