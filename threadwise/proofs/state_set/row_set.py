"""Which rows a table has: many are asked for at once, and the answer is exact.

Rows are put into buckets by a hash of their bytes. A row that is asked for is compared with those
of its bucket, byte by byte: rows that share a bucket cost time and nothing else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]

WORD = 8
DIGITS = 64
FACTOR = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(32)


class RowSet:
    """The rows of a table."""

    def __init__(self, rows: npt.NDArray[Any]) -> None:
        words = _words(rows)
        self._digits = max(1, len(words).bit_length())
        buckets = self._buckets(words)
        self._words = words[np.argsort(buckets)]
        self._ends = np.cumsum(np.bincount(buckets, minlength=1 << self._digits))

    def has_all(self, rows: npt.NDArray[Any]) -> bool:
        """Whether all of some rows are in the table."""
        words = _words(rows)
        buckets = self._buckets(words)
        ends = self._ends[buckets]
        position = np.where(buckets == 0, 0, self._ends[buckets - 1])
        while len(words):
            if (position >= ends).any():
                return False
            other = np.flatnonzero(_differ(self._words.take(position, axis=0), words))
            words, ends, position = words[other], ends[other], position[other] + 1
        return True

    def _buckets(self, words: Words) -> npt.NDArray[np.intp]:
        """In which bucket rows belong: the upper digits of a hash."""
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
