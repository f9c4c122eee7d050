"""What a thread at a location may have done, and which numbers it knows.

    locks    the mutexes that it may hold: per set of folded cells that one of them is in, ONE if
             it is at most one, or MANY. Cells of counts are here if it may have raised them
             without lowering them again, in a way that `tokens` do not cover
    tokens   the counts that it has raised by one and not lowered again, by name
    late     cells with flags that the first thread, alone for good, may have given their last
             value: all of them (None), or the elements of an array below a number
    ranges   the least and the greatest value of one of its variables, or of a guarded cell whose
             lock it has held since it read the cell
    copies   its variables that hold what such a cell holds

`ANYTHING` is the top element.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.expr import Place
from threadwise.proofs.locksets.memory.cells import Target

ONE, MANY = 1, 2
Range = tuple[int, int]
Cells = frozenset[Target]
EVERY = Target("*", 0)
"""Stands for every cell."""


class Below(NamedTuple):
    """The elements of an array with numbers below `variable + offset`."""

    first: Place
    """What an element is for the number 0."""
    variable: Place | None
    offset: int


@dataclass(frozen=True)
class State:
    """What is known at a location."""

    locks: Mapping[Cells, int] = field(default_factory=dict)
    tokens: frozenset[tuple[Target, Place]] = frozenset()
    late: Mapping[Target, Below | None] = field(default_factory=dict)
    ranges: Mapping[Place, Range] = field(default_factory=dict)
    copies: Mapping[Place, Place] = field(default_factory=dict)

    def implies(self, other: State) -> bool:
        """Whether this state implies the other."""
        if EVERY in other.late and frozenset({EVERY}) in other.locks:
            return not other.tokens and self._has_numbers(other)
        left = {cell for cell, _ in self.tokens - other.tokens}
        return (
            all(other.locks.get(cells, 0) >= times for cells, times in self.locks.items())
            and other.tokens <= self.tokens
            and all(other.locks.get(frozenset({cell}), 0) == MANY for cell in left)
            and all(
                cell in other.late and other.late[cell] in (None, below)
                for cell, below in self.late.items()
            )
            and self._has_numbers(other)
        )

    def _has_numbers(self, other: State) -> bool:
        for place, (low, high) in other.ranges.items():
            mine = self.ranges.get(place)
            if mine is None or mine[0] < low or mine[1] > high:
                return False
        return other.copies.items() <= self.copies.items()

    def may_hold(self, cells: Cells) -> bool:
        """Whether the thread may hold a lock in some cells, or have raised a count there."""
        held = any(not cells.isdisjoint(others) or EVERY in others for others in self.locks)
        return held or any(cell in cells for cell, _ in self.tokens)


ANYTHING = State(locks={frozenset({EVERY}): MANY}, late={EVERY: None})
