"""Whether a formula is true in every row of a large table, asked of one row of each kind.

What a kind is stands in `row_kinds`. Here the rows that hold something in a group of columns are a
set, a bit for each row of the whole table; kinds are the contents whose sets meet. That takes
little time and memory where few values occur, as in locations of threads, however many choices of
threads a formula speaks of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from threadwise.ir.expr import Expr
from threadwise.ir.layout import ProgramLayout
from threadwise.proofs.state_set.row_kinds import CellsRead
from threadwise.proofs.state_set.table import StateTable

Bits = npt.NDArray[np.uint8]

MOST_CONTENTS = 64
"""A group of columns with more possible contents has no sets."""
MOST_KINDS = 256
"""So many sets are intersected for a choice of threads."""
_SLICE = 1 << 18
"""So many rows are looked at together."""


class KindSets:
    """The kinds of all rows for one formula, by the threads that its variables stand for."""

    def __init__(self, formula: Expr, layout: ProgramLayout, states: StateTable) -> None:
        self._states = states
        self._read = CellsRead(formula, layout, states.columns)
        self._sets: dict[tuple[int, ...], list[Bits] | None] = {}

    def examples(self, threads: Mapping[str, int]) -> npt.NDArray[np.intp] | None:
        """A row of each kind for a choice of threads; None if kinds are unknown, or too many."""
        groups = self._read.groups(threads)
        if groups is None:
            return None
        found: list[list[Bits]] = []
        kinds = 1
        for group in groups:
            sets = self._sets_of(group)
            if sets is None:
                return None
            found.append(sets)
            kinds *= len(sets)
        if kinds > MOST_KINDS:
            return None
        if not found:
            return np.arange(min(1, len(self._states)))
        rows = map(_first, _meeting(found))
        return np.fromiter(rows, dtype=np.intp)

    def _sets_of(self, group: tuple[int, ...]) -> list[Bits] | None:
        if group not in self._sets:
            columns = [self._states.rows[str(number)] for number in group]
            self._sets[group] = _sets_of(columns) if len(self._states) else []
        return self._sets[group]


def _sets_of(columns: Sequence[npt.NDArray[np.signedinteger]]) -> list[Bits] | None:
    """For each content of some columns the rows that have it; None if it may be one of many."""
    count = 1
    ranges: list[tuple[int, int]] = []
    for column in columns:
        low, high = int(column.min()), int(column.max())
        ranges.append((low, high - low + 1))
        count *= high - low + 1
        if count > MOST_CONTENTS:
            return None
    parts: list[list[Bits]] = [[] for _ in range(count)]
    for first in range(0, len(columns[0]), _SLICE):
        numbers: npt.NDArray[np.int64] = np.zeros(1, dtype=np.int64)
        for column, (low, size) in zip(columns, ranges, strict=True):
            numbers = numbers * size + (column[first : first + _SLICE].astype(np.int64) - low)
        small = numbers.astype(np.uint8)
        for content, part in enumerate(parts):
            part.append(np.packbits(small == content))
    sets = [np.concatenate(part) for part in parts]
    return [each for each in sets if each.any()]


def _meeting(groups: Sequence[list[Bits]]) -> Iterator[Bits]:
    """The intersections of a set of each group that are not empty."""
    first, *others = groups
    if not others:
        yield from first
        return
    for rest in _meeting(others):
        for each in first:
            both = each & rest
            if both.any():
                yield both


def _first(rows: Bits) -> int:
    """The number of the first row of a set that is not empty."""
    byte = int((rows != 0).argmax())
    return 8 * byte + 8 - int(rows[byte]).bit_length()
