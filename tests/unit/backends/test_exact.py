"""Exact kernels."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from threadwise.backends.exact import integer_kernel


def test_the_kernel_of_nothing_is_everything() -> None:
    assert integer_kernel([], 2) == [[1, 0], [0, 1]]


def test_a_kernel_without_vectors() -> None:
    assert integer_kernel([{0: 1}, {0: 1, 1: 3}], 2) == []
    assert integer_kernel([], 0) == []


def test_vectors_are_primitive_and_lead_from_the_left() -> None:
    assert integer_kernel([{0: 2, 1: 4, 2: -6}], 3) == [[3, 0, 1], [0, 3, 2]]


def test_large_entries_stay_exact() -> None:
    huge = 10**30
    assert integer_kernel([{0: huge, 1: huge + 1}], 2) == [[huge + 1, -huge]]


@given(st.lists(st.lists(st.integers(-4, 4), min_size=4, max_size=4), max_size=5))
def test_the_basis_is_in_the_kernel_and_in_echelon_form(rows: list[list[int]]) -> None:
    basis = integer_kernel([{k: entry for k, entry in enumerate(row) if entry} for row in rows], 4)
    for vector in basis:
        assert all(sum(a * b for a, b in zip(row, vector, strict=True)) == 0 for row in rows)
    leads = [next(k for k, entry in enumerate(vector) if entry) for vector in basis]
    assert leads == sorted(set(leads))
    for lead, vector in zip(leads, basis, strict=True):
        assert vector[lead] > 0
        assert [other[lead] for other in basis if other is not vector] == [0] * (len(basis) - 1)
