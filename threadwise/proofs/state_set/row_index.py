"""Large tables of states, with lookup of single ones."""

from __future__ import annotations

import random
from collections.abc import Container, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from threadwise.proofs.state_set.table import WORD, Rows, StateTable, flattened
from threadwise.semantics.state import State

DIGITS, SORTED_DIGITS = 64, 16
HALF = np.uint64(32)
SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


def index_of(states: Sequence[State]) -> Container[State]:
    """Decides whether a state is among others, most of them in a table."""
    return RowIndex(states) if isinstance(states, StateTable) else frozenset(states)


class RowIndex:
    """The rows of a large table by a number that is computed from their bytes.

    To make states of all rows would take longer than everything else.
    """

    def __init__(self, table: StateTable) -> None:
        self._table = table.padded()
        self._held = self._table.rows.dtype
        draws = random.Random(0)
        words = self._held.itemsize // WORD
        self._factors = np.array([draws.getrandbits(64) | 1 for _ in range(words)], np.uint64)
        numbers = self._numbers_of(self._table.rows)
        # Sorted by few digits only, which takes no longer than to read them.
        digits = (numbers >> np.uint64(DIGITS - SORTED_DIGITS)).astype(np.uint16)
        self._order = np.argsort(digits, kind="stable")
        self._numbers = numbers[self._order]
        self._digits = digits[self._order]

    def _numbers_of(self, rows: Rows) -> npt.NDArray[np.uint64]:
        words = rows.view(np.uint64).reshape(len(rows), len(self._factors))
        numbers = np.zeros(len(rows), dtype=np.uint64)
        for position, factor in enumerate(self._factors):
            numbers += (words[:, position] ^ (words[:, position] >> HALF)) * factor
        return numbers

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
        number = self._numbers_of(row)[0]
        digits = np.uint16(number >> np.uint64(DIGITS - SORTED_DIGITS))
        first, end = (int(np.searchsorted(self._digits, digits, side)) for side in SIDES)
        same = first + np.flatnonzero(self._numbers[first:end] == number)
        return any(self._table[int(place)] == state for place in self._order[same])
