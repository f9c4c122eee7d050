"""Affine spaces: the equations that some integers satisfy, by Karr's analysis.

A space is a point and independent directions. Spaces are joined to the least one that has both,
so a chain of growing spaces is no longer than there are variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm

from threadwise.core.quick_dataclass import dataclass

Number = int | Fraction
"""Whole numbers are of type `int`: nearly all are whole, and fractions are slow."""
Vector = tuple[Number, ...]
Form = tuple[Vector, Number]
"""Factors and a constant: a linear expression."""


@dataclass(frozen=True)
class AffineSpace:
    """A point, and independent directions in reduced echelon form."""

    base: Vector
    rows: tuple[Vector, ...] = ()

    def joined(self, other: AffineSpace) -> AffineSpace:
        """The least space with both."""
        return self.along([*other.rows, plus(other.base, self.base, -1)])

    def along(self, directions: Sequence[Vector]) -> AffineSpace:
        """The space with more directions."""
        rows = list(self.rows)
        for row in directions:
            rows = _with_row(rows, row)
        return AffineSpace(self.base, tuple(rows))

    def freed(self, at: int) -> AffineSpace:
        """The space with any value at a place."""
        return self.along([unit(at, len(self.base))])

    def cut(self, at: int, value: Number) -> AffineSpace | None:
        """The points with a value at a place, if there are any."""
        return self.where((unit(at, len(self.base)), -value))

    def where(self, form: Form) -> AffineSpace | None:
        """The points where a linear expression is 0, if there are any."""
        factors, constant = form
        across = next((row for row in self.rows if _product(factors, row)), None)
        missing = -constant - _product(factors, self.base)
        if across is None:
            return None if missing else self
        slope = _product(factors, across)
        base = plus(self.base, across, _ratio(missing, slope))
        rest = [
            plus(row, across, _ratio(-_product(factors, row), slope))
            for row in self.rows
            if row is not across
        ]
        return AffineSpace(base).along(rest)

    def value(self, form: Form) -> Number | None:
        """What a linear expression is at all points, if it is the same."""
        factors, constant = form
        if any(_product(factors, row) for row in self.rows):
            return None
        return constant + _product(factors, self.base)

    def image(self, maps: Mapping[int, Form | None]) -> AffineSpace:
        """The space after places are given linear expressions, at once; None: any value."""
        base = _mapped(self.base, maps, 1)
        rows = [_mapped(row, maps, 0) for row in self.rows]
        free = [unit(at, len(base)) for at, form in maps.items() if form is None]
        return AffineSpace(base).along([*rows, *free])

    def moved(self, places: Sequence[int | None], width: int) -> AffineSpace:
        """The space with each coordinate at another place of a wider or narrower one, or gone."""
        base, rows = _moved(self.base, places, width), self.rows
        return AffineSpace(base).along([_moved(row, places, width) for row in rows])

    def equations(self) -> Iterator[tuple[tuple[int, ...], int]]:
        """A basis of what all points satisfy: factors and a constant, whose sum is 0."""
        pivots = {_pivot(row): row for row in self.rows}
        width = len(self.base)
        for k in range(width):
            if k in pivots:
                continue
            # 1 at k and, at each pivot, what makes it orthogonal to that row
            normal = list(unit(k, width))
            for at, row in pivots.items():
                assert at is not None
                normal[at] = _ratio(-row[k], row[at])
            constant = -_product(tuple(normal), self.base)
            scale = lcm(*(value.denominator for value in (*normal, constant)))
            yield tuple(int(value * scale) for value in normal), int(constant * scale)


def unit(at: int, width: int) -> Vector:
    """The direction of a place."""
    return tuple(int(k == at) for k in range(width))


def plus(one: Vector, other: Vector, factor: Number) -> Vector:
    """`one + factor * other`."""
    if not factor:
        return one
    return tuple(_whole(a + factor * b) if b else a for a, b in zip(one, other, strict=True))


def scaled(form: Form | None, factor: int) -> Form | None:
    """A multiple of a linear expression."""
    if form is None:
        return None
    return tuple(_whole(factor * value) for value in form[0]), _whole(factor * form[1])


def added(one: Form | None, other: Form | None) -> Form | None:
    """The sum of two linear expressions."""
    if one is None or other is None:
        return None
    return plus(one[0], other[0], 1), _whole(one[1] + other[1])


def _product(one: Vector, other: Vector) -> Number:
    return _whole(sum(a * b for a, b in zip(one, other, strict=True) if a and b))


def _ratio(one: Number, other: Number) -> Number:
    if isinstance(one, int) and isinstance(other, int) and one % other == 0:
        return one // other
    return _whole(Fraction(one) / other)


def _whole(value: Number) -> Number:
    return value.numerator if value.denominator == 1 else value


def _mapped(vector: Vector, maps: Mapping[int, Form | None], one: Number) -> Vector:
    after = list(vector)
    for at, form in maps.items():
        after[at] = 0
        if form is not None:
            after[at] = _whole(form[1] * one + _product(form[0], vector))
    return tuple(after)


def _moved(vector: Vector, places: Sequence[int | None], width: int) -> Vector:
    after: list[Number] = [0] * width
    for value, place in zip(vector, places, strict=True):
        if place is not None:
            after[place] = value
    return tuple(after)


def _pivot(row: Vector) -> int | None:
    return next((k for k, value in enumerate(row) if value), None)


def _with_row(rows: list[Vector], row: Vector) -> list[Vector]:
    """Rows in echelon form, with one more if it is independent."""
    for known in rows:
        at = _pivot(known)
        assert at is not None
        if row[at]:
            row = plus(row, known, _ratio(-row[at], known[at]))
    at = _pivot(row)
    if at is None:
        return rows
    return [*(plus(known, row, _ratio(-known[at], row[at])) for known in rows), row]
