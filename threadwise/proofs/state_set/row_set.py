"""Which rows a table has: many are asked for at once, and the answer is exact.

A hash table with open addressing holds the numbers of rows. A row that is asked for is compared
with those from its place on, byte by byte, until it is found or there is a free place: rows that
share a place cost time and nothing else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.signedinteger[Any]]

WORD = 8
DIGITS = 64
FACTOR = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(32)
MOST = np.iinfo(np.int32).max
"""So many rows have numbers of 32 bits."""
ROOM = 2
"""There are at least so many places for each row."""
PART = 1 << 18
"""So many rows are put into the table at once: what is computed for each takes room meanwhile."""


class RowSet:
    """The rows of a table."""

    def __init__(self, rows: npt.NDArray[Any]) -> None:
        self._words = _words(rows)
        count = len(self._words)
        self._digits = (ROOM * count + 1).bit_length()
        self._mask = (1 << self._digits) - 1
        kind: type[np.int32 | np.int64] = np.int32 if count < MOST else np.int64
        self._numbers: Numbers = np.zeros(1 << self._digits, dtype=kind)
        """By place the number of a row, from 1 on, or 0."""
        for first in range(0, count, PART):
            self._put(first, min(first + PART, count))

    def _put(self, first: int, end: int) -> None:
        """Give rows their places, and equal ones the same."""
        waiting: Numbers = np.arange(first + 1, end + 1, dtype=self._numbers.dtype)
        places = self._places(self._words[first:end])
        while len(waiting):
            free = self._numbers.take(places) == 0
            self._numbers[places[free]] = waiting[free]
            numbers = self._numbers.take(places)
            others = np.flatnonzero(numbers != waiting)
            waiting, places, numbers = waiting[others], places[others], numbers[others]
            there = self._words.take(numbers - 1, axis=0)
            new = _differ(there, self._words.take(waiting - 1, axis=0))
            waiting, places = waiting[new], (places[new] + 1) & self._mask

    def has_all(self, rows: npt.NDArray[Any]) -> bool:
        """Whether all of some rows are in the table."""
        words = _words(rows)
        places = self._places(words)
        while len(words):
            numbers = self._numbers.take(places)
            if not numbers.all():
                return False
            others = np.flatnonzero(_differ(self._words.take(numbers - 1, axis=0), words))
            words, places = words.take(others, axis=0), (places[others] + 1) & self._mask
        return True

    def _places(self, words: Words) -> npt.NDArray[np.intp]:
        """Where rows belong: the upper digits of a hash."""
        found = np.zeros(len(words), dtype=np.uint64)
        for column in range(words.shape[1]):
            found = (found ^ words[:, column]) * FACTOR
            found ^= found >> SHIFT
        return ((found * FACTOR) >> np.uint64(DIGITS - self._digits)).astype(np.intp)


def _differ(some: Words, others: Words) -> npt.NDArray[np.bool_]:
    """Which rows are not the same: there are few columns, and many rows."""
    found: npt.NDArray[np.bool_] = some[:, 0] != others[:, 0]
    for column in range(1, some.shape[1]):
        found |= some[:, column] != others[:, column]
    return found


def _words(rows: npt.NDArray[Any]) -> Words:
    """The bytes of rows, those between fields included, in groups of eight."""
    size = rows.dtype.itemsize
    raw = np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), size)
    if size % WORD:
        raw = np.pad(raw, ((0, 0), (0, -size % WORD)))
    return np.ascontiguousarray(raw).view(np.uint64)
