"""Large tables of states, with lookup of single ones."""

from __future__ import annotations

import random
from collections.abc import Container, Sequence
from typing import Literal

import numpy as np

from threadwise.proofs.state_set.table import StateTable, flattened
from threadwise.semantics.state import State

DIGITS, SORTED_DIGITS = 64, 16
SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


def index_of(states: Sequence[State]) -> Container[State]:
    """Decides whether a state is among others, most of them in a table."""
    return RowIndex(states) if isinstance(states, StateTable) else frozenset(states)


class RowIndex:
    """The rows of a large table by a number that is computed from their cells.

    To make states of all rows would take longer than everything else.
    """

    def __init__(self, table: StateTable) -> None:
        draws = random.Random(0)
        self._factors = [draws.getrandbits(64) | 1 for _ in range(table.columns.count)]
        self._table = table
        numbers = np.zeros(len(table), dtype=np.uint64)
        for column, factor in enumerate(self._factors):
            numbers += table.column(column).astype(np.uint64) * np.uint64(factor)
        # Sorted by few digits only, which takes no longer than to read them.
        digits = (numbers >> np.uint64(DIGITS - SORTED_DIGITS)).astype(np.uint16)
        self._order = np.argsort(digits, kind="stable")
        self._numbers = numbers[self._order]
        self._digits = digits[self._order]

    def __contains__(self, state: object) -> bool:
        """Whether a row is this state; one with a heap or with stacks is none."""
        if not isinstance(state, State) or state.g.heap or any(state.stacks):
            return False
        row = flattened(state)
        if len(row) != len(self._factors):
            return False
        number = sum(v * f for v, f in zip(row, self._factors, strict=True)) % (1 << 64)
        digits = np.uint16(number >> (DIGITS - SORTED_DIGITS))
        first, end = (int(np.searchsorted(self._digits, digits, side)) for side in SIDES)
        same = first + np.flatnonzero(self._numbers[first:end] == np.uint64(number))
        return any(self._table[int(place)] == state for place in self._order[same])
