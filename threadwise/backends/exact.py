"""Exact linear algebra over the rational numbers (FLINT)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd, lcm


def integer_kernel(rows: Sequence[Mapping[int, int]], width: int) -> list[list[int]]:
    """A basis of all w with row · w = 0 for every row, as primitive integer vectors.

    Rows are sparse: column to entry. The basis is the reduced row echelon form of the kernel,
    hence unique: each vector leads with a positive entry in a column where all others are 0, and
    columns further to the left lead first.
    """
    if width == 0:
        return []
    from flint import fmpq_mat

    distinct = list(dict.fromkeys(tuple(sorted(row.items())) for row in rows))
    dense = [_dense(dict(row), width) for row in distinct] or [[0] * width]
    reduced, rank = fmpq_mat(dense).rref()
    pivots = [next(k for k in range(width) if reduced[i, k] != 0) for i in range(rank)]
    free = [k for k in range(width) if k not in set(pivots)]
    if not free:
        return []
    kernel = fmpq_mat(len(free), width)
    for i, column in enumerate(free):
        kernel[i, column] = 1
        for j, pivot in enumerate(pivots):
            kernel[i, pivot] = -reduced[j, column]
    basis, _ = kernel.rref()
    return [_primitive([basis[i, k] for k in range(width)]) for i in range(len(free))]


def _dense(row: Mapping[int, int], width: int) -> list[int]:
    return [row.get(column, 0) for column in range(width)]


def _primitive(vector: Sequence[object]) -> list[int]:
    """The vector scaled to integers without a common factor."""
    fractions = [(int(entry.p), int(entry.q)) for entry in vector]  # type: ignore[attr-defined]
    scale = lcm(*(denominator for _, denominator in fractions))
    scaled = [numerator * (scale // denominator) for numerator, denominator in fractions]
    common = gcd(*scaled) or 1
    return [entry // common for entry in scaled]
