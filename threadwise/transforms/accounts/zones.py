"""Zones: upper bounds of differences between integer variables (Dill 1989).

A zone is a matrix: `bounds[a][b]` is the most that `a - b` can be. The first position is the
constant 0, so bounds of single variables are differences too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import Variable
from threadwise.ir.types import MachineType, RangeType

Bound = float
"""An integer, or infinity."""
Value = tuple[Variable | None, int]
"""A variable (None: nothing) plus a constant."""


@dataclass(frozen=True)
class Zone:
    """Bounds of the differences of some variables; closed under addition."""

    variables: tuple[Variable, ...]
    bounds: tuple[tuple[Bound, ...], ...]

    @staticmethod
    def start(variables: Sequence[Variable], values: Mapping[Variable, int]) -> Zone:
        """The zone of variables with known values, or any of their types."""
        ends = [(0, 0), *((values[v], values[v]) if v in values else limits(v) for v in variables)]
        bounds = [[a[1] - b[0] for b in ends] for a in ends]
        for k in range(len(ends)):
            bounds[k][k] = 0
        return Zone(tuple(variables), tuple(map(tuple, bounds)))

    def _at(self, variable: Variable | None) -> int:
        return 0 if variable is None else self.variables.index(variable) + 1

    def most(self, left: Value, right: Value) -> Bound:
        """The most that the difference of two values can be."""
        return self.bounds[self._at(left[0])][self._at(right[0])] + left[1] - right[1]

    def are_equal(self, left: Value, right: Value) -> bool:
        """Whether two values are always the same."""
        return self.most(left, right) <= 0 and self.most(right, left) <= 0

    def where(self, left: Value, right: Value) -> Zone | None:
        """The zone where one value is at most another; None if it never is."""
        a, b = self._at(left[0]), self._at(right[0])
        told = right[1] - left[1]
        if self.bounds[b][a] + told < 0:
            return None
        if self.bounds[a][b] <= told:
            return self
        column = [row[a] for row in self.bounds]
        last = self.bounds[b]
        new = tuple(
            tuple(min(old, column[i] + told + last[j]) for j, old in enumerate(row))
            for i, row in enumerate(self.bounds)
        )
        return Zone(self.variables, new)

    def assigned(self, values: Mapping[Variable, Value | None]) -> Zone:
        """After assignments, all at once, of values or (None) of anything."""
        sources: list[tuple[int, int] | None] = [(0, 0)]
        for variable in self.variables:
            told = values.get(variable, (variable, 0))
            sources.append(None if told is None else (self._at(told[0]), told[1]))
        ends = [(0.0, 0.0), *map(limits, self.variables)]
        whole = [source is not None for source in sources]
        new: list[list[Bound]] = []
        for a, one in enumerate(sources):
            row: list[Bound] = []
            for b, other in enumerate(sources):
                if a == b:
                    row.append(0)
                elif one is not None and other is not None:
                    row.append(self.bounds[one[0]][other[0]] + one[1] - other[1])
                else:
                    row.append(inf)
            new.append(row)
        for a, known in enumerate(whole):
            if not known:
                low, high = ends[a]
                for b in range(len(sources)):
                    if a != b:
                        least = -new[0][b] if whole[b] else ends[b][0]
                        most = new[b][0] if whole[b] else ends[b][1]
                        new[a][b] = min(new[a][b], high - least)
                        new[b][a] = min(new[b][a], most - low)
        return Zone(self.variables, tuple(map(tuple, new)))

    def joined(self, other: Zone, steps: Sequence[int] | None = None) -> Zone:
        """The least zone with both; with steps, bounds that grow go on to one of these."""

        def both(was: Bound, now: Bound) -> Bound:
            if now <= was:
                return was
            if steps is None:
                return now
            return next((step for step in steps if step >= now), inf)

        new = tuple(
            tuple(both(x, y) for x, y in zip(one, two, strict=True))
            for one, two in zip(self.bounds, other.bounds, strict=True)
        )
        return Zone(self.variables, new)

    def differences(self, told: Iterable[Variable]) -> Iterator[tuple[Value, Value]]:
        """Pairs of values the first of which is at most the second, about some variables."""
        places = [(None, 0), *((v, self._at(v)) for v in told)]
        for one, a in places:
            for other, b in places:
                most = self.bounds[a][b]
                if a != b and most < inf and not self._is_of_type(one, other, most):
                    yield (one, 0), (other, int(most))

    def _is_of_type(self, one: Variable | None, other: Variable | None, most: Bound) -> bool:
        high = 0 if one is None else limits(one)[1]
        low = 0 if other is None else limits(other)[0]
        return most >= high - low


def limits(variable: Variable) -> tuple[Bound, Bound]:
    """The bounds of a variable's type."""
    held = variable.type
    if isinstance(held, MachineType | RangeType):
        return held.low, held.high
    return -inf, inf
