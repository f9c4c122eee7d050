"""Which rows a table has, also where all of them fall into a few buckets."""

from __future__ import annotations

from random import Random

import numpy as np
import numpy.typing as npt
import pytest

from threadwise.proofs.state_set import row_set
from threadwise.proofs.state_set.row_set import RowSet

FIELDS = np.dtype([("0", "<i1"), ("1", "<i2"), ("2", "<i8")])


Row = tuple[int, int, int]


def table(rows: list[Row]) -> npt.NDArray[np.void]:
    return np.array(rows, dtype=FIELDS)


def draw(chosen: Random) -> Row:
    return chosen.randrange(-3, 4), chosen.randrange(-3, 4), chosen.randrange(-3, 4)


@pytest.mark.parametrize("factor", [int(row_set.FACTOR), 0, 1])
def test_against_a_set(factor: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_set, "FACTOR", np.uint64(factor))
    chosen = Random(factor)
    for size in (0, 1, 2, 7, 60):
        rows = [draw(chosen) for _ in range(size)]
        whole = RowSet(table(rows))
        assert whole.has_all(table([]))
        assert whole.has_all(table(rows[::-1]))
        for _ in range(60):
            row = draw(chosen)
            assert whole.has_all(table([row])) == (row in rows)
            assert whole.has_all(table([*rows, row])) == (row in rows)
