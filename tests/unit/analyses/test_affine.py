"""Affine spaces, against the points that they were made of."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from threadwise.analyses.affine import AffineSpace, Vector, added, scaled, unit

WIDTH = 3
POINTS = st.lists(st.tuples(*[st.integers(-3, 3)] * WIDTH), min_size=1, max_size=4)


def vector(point: tuple[int, ...]) -> Vector:
    return tuple(map(Fraction, point))


def space_of(points: list[tuple[int, ...]]) -> AffineSpace:
    first, *rest = (AffineSpace(vector(point)) for point in points)
    for other in rest:
        first = first.joined(other)
    return first


def satisfies(space: AffineSpace, point: tuple[int, ...]) -> bool:
    return all(
        sum(a * b for a, b in zip(factors, point, strict=True)) + constant == 0
        for factors, constant in space.equations()
    )


@given(POINTS)
def test_all_points_satisfy_the_equations(points: list[tuple[int, ...]]) -> None:
    space = space_of(points)
    assert all(satisfies(space, point) for point in points)
    assert len(list(space.equations())) == WIDTH - len(space.rows)
    assert len(space.rows) < len(points) or len(points) == 1


@given(POINTS, st.integers(0, WIDTH - 1), st.integers(-3, 3))
def test_a_part_has_the_points_with_a_value(
    points: list[tuple[int, ...]], at: int, value: int
) -> None:
    space = space_of(points)
    part = space.cut(at, Fraction(value))
    kept = [point for point in points if point[at] == value]
    assert not kept or (part is not None and all(satisfies(part, point) for point in kept))
    if part is not None:
        assert part.value((unit(at, WIDTH), Fraction(-value))) == 0


@given(POINTS, st.integers(0, WIDTH - 1), st.tuples(*[st.integers(-2, 2)] * (WIDTH + 1)))
def test_assignments_move_points(
    points: list[tuple[int, ...]], at: int, form: tuple[int, ...]
) -> None:
    *factors, constant = form
    after = space_of(points).image({at: (vector(tuple(factors)), Fraction(constant))})
    for point in points:
        value = sum(a * b for a, b in zip(factors, point, strict=True)) + constant
        assert satisfies(after, (*point[:at], value, *point[at + 1 :]))
    free = space_of(points).image({at: None})
    assert all(satisfies(free, (*p[:at], 99, *p[at + 1 :])) for p in points)


@given(POINTS)
def test_coordinates_move(points: list[tuple[int, ...]]) -> None:
    moved = space_of(points).moved([1, None, 0], 2)
    assert all(satisfies(moved, (p[2], p[0])) for p in points)


def test_linear_expressions() -> None:
    x = unit(0, 2), Fraction(1)
    assert added(x, scaled(x, -1)) == (vector((0, 0)), Fraction(0))
    assert added(x, None) is None
    assert scaled(None, 2) is None
