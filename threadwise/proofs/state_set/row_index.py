"""Large tables of states, with lookup of single ones."""

from __future__ import annotations

import random
from collections.abc import Container, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from threadwise.proofs.state_set.table import WORD, Rows, StateTable, flattened, whole
from threadwise.semantics.state import State

DIGITS = 64
SORTED_DIGITS = 16
HALF = np.uint64(32)
PART = 1 << 18
"""So many rows are read at once."""
MOST = np.iinfo(np.int32).max
"""So many rows have numbers of 32 bits."""

Numbers = npt.NDArray[np.signedinteger[Any]]


def index_of(states: Sequence[State]) -> Container[State]:
    """Decides whether a state is among others, most of them in a table."""
    return RowIndex(states) if isinstance(states, StateTable) else frozenset(states)


class RowIndex:
    """The rows of a large table, sorted by a few digits that are computed from their bytes.

    To make states of all rows would take longer than everything else.
    """

    def __init__(self, table: StateTable) -> None:
        self._table = table.padded()
        rows = self._table.rows
        self._held = rows.dtype
        draws = random.Random(0)
        words = self._held.itemsize // WORD
        self._factors = np.array([draws.getrandbits(64) | 1 for _ in range(words)], np.uint64)
        digits = np.zeros(len(rows), dtype=np.uint16)
        counts = np.zeros(1 + (1 << SORTED_DIGITS), dtype=np.int64)
        for first in range(0, len(rows), PART):
            part = digits[first : first + PART]
            part[:] = self._digits_of(rows[first : first + PART])
            counts[1:] += np.bincount(part, minlength=1 << SORTED_DIGITS)
        self._first = counts.cumsum()
        """By digits the place of the first row that has them, in the order below."""
        self._order = self._sorted(digits)

    def _sorted(self, digits: npt.NDArray[np.uint16]) -> Numbers:
        """The numbers of rows by their digits, part by part: so few digits are sorted quickly."""
        order: Numbers = np.zeros(len(digits), dtype=np.int32 if len(digits) < MOST else np.int64)
        free = self._first.copy()
        for first in range(0, len(digits), PART):
            numbers = np.argsort(digits[first : first + PART], kind="stable")
            held = digits[first : first + PART][numbers]
            counts = np.bincount(held, minlength=1 << SORTED_DIGITS)
            before = counts.cumsum() - counts
            order[free[held] + np.arange(len(held)) - before[held]] = numbers + first
            free[:-1] += counts
        return order

    def _digits_of(self, rows: Rows) -> npt.NDArray[np.uint16]:
        words = rows.view(np.uint64).reshape(len(rows), len(self._factors))
        numbers = np.zeros(len(rows), dtype=np.uint64)
        for position, factor in enumerate(self._factors):
            numbers += (words[:, position] ^ (words[:, position] >> HALF)) * factor
        return (numbers >> np.uint64(DIGITS - SORTED_DIGITS)).astype(np.uint16)

    def __contains__(self, state: object) -> bool:
        """Whether a row is this state; one with a heap or with stacks is none."""
        if not isinstance(state, State) or state.g.heap or any(state.stacks):
            return False
        cells = flattened(state)
        if len(cells) != self._table.columns.count:
            return False
        row = np.zeros(1, dtype=self._held)
        try:
            row[0] = tuple(cells)
        except OverflowError:
            return False  # no row has such a value
        digits = int(self._digits_of(row)[0])
        places = self._order[self._first[digits] : self._first[digits + 1]]
        words = (
            whole(self._table.rows)
            .take(places)
            .view(np.uint64)
            .reshape(len(places), len(self._factors))
        )
        same = places[(words == row.view(np.uint64)).all(axis=1)]
        return any(self._table[int(place)] == state for place in same)
