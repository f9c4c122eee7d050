"""Linear invariants decided for a store and the locations of a few threads.

In a given store an equation is one between numbers of threads. Each number has an interval, which
begins at the number of threads that are known to be there; an equation bounds each of its numbers
by the intervals of the others. Where an interval becomes empty, the threads cannot meet in this
store. Nothing is claimed where none does: intervals are not exact.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.ir.layout import ProgramLayout
from threadwise.ir.program import LocId
from threadwise.ir.quantities import (
    CellQuantity,
    LinearInvariant,
    LocationCount,
    Quantity,
    offset_in,
)
from threadwise.ir.types import Value

MOST_ROUNDS = 20

Equation = list[tuple[int, int]]
"""Numbers, by position, and their factors."""


class StoreFacts:
    """The equations of a program, for the global stores of a layout."""

    def __init__(self, layout: ProgramLayout, invariants: Sequence[LinearInvariant]) -> None:
        self.invariants = tuple(invariants)
        held = {cell.variable.name: cell.variable.type for cell in layout.globals.cells}
        self._position: dict[Quantity, int] = {}
        self._equations: list[Equation] = []
        self._cells: list[list[tuple[int, int | None, int]]] = []
        """Per equation its cells: the slot, the value that is asked for, the factor."""
        for invariant in invariants:
            numbers: Equation = []
            cells: list[tuple[int, int | None, int]] = []
            for quantity, factor in invariant.terms:
                if isinstance(quantity, CellQuantity):
                    name = quantity.variable
                    slot = layout.globals.offset[name] + offset_in(held[name], quantity.path)
                    cells.append((slot, quantity.equals, factor))
                else:
                    position = self._position.setdefault(quantity, len(self._position))
                    numbers.append((position, factor))
            self._equations.append(numbers)
            self._cells.append(cells)
        self._known: dict[tuple[tuple[int, ...], tuple[int, ...]], bool] = {}

    def possible(self, g: Sequence[Value], locations: Sequence[LocId]) -> bool:
        """Whether distinct threads may be at these locations together, in this store."""
        wanted = tuple(
            -(invariant.constant + sum(_value(g[s], equals) * f for s, equals, f in cells))
            for invariant, cells in zip(self.invariants, self._cells, strict=True)
        )
        counted = [self._position.get(LocationCount(location)) for location in locations]
        present = tuple(sorted(position for position in counted if position is not None))
        key = (wanted, present)
        if key not in self._known:
            self._known[key] = self._decide(wanted, present)
        return self._known[key]

    def _decide(self, wanted: Sequence[int], present: Sequence[int]) -> bool:
        low: list[int] = [present.count(position) for position in range(len(self._position))]
        high: list[int | None] = [None] * len(self._position)
        for _ in range(MOST_ROUNDS):
            before = (list(low), list(high))
            for equation, total in zip(self._equations, wanted, strict=True):
                if not equation and total != 0:
                    return False
                for position, factor in equation:
                    _narrow(equation, total, position, factor, low, high)
                    most = high[position]
                    if most is not None and low[position] > most:
                        return False
            if (low, high) == before:
                break
        return True


def _narrow(
    equation: Equation,
    total: int,
    position: int,
    factor: int,
    low: list[int],
    high: list[int | None],
) -> None:
    """Bound one number of an equation by the others."""
    least: int | None = total
    most: int | None = total
    for other, times in equation:
        if other == position:
            continue
        top = high[other]
        largest = times * low[other] if times < 0 else (None if top is None else times * top)
        smallest = times * low[other] if times > 0 else (None if top is None else times * top)
        least = None if least is None or largest is None else least - largest
        most = None if most is None or smallest is None else most - smallest
    if factor < 0:
        least, most = most, least
    if least is not None:
        low[position] = max(low[position], -(-least // factor))
    if most is not None:
        known = high[position]
        high[position] = most // factor if known is None else min(known, most // factor)


def _value(value: Value, equals: int | None) -> int:
    return int(value == equals) if equals is not None else int(value)  # type: ignore[arg-type]  # a number or a truth value
