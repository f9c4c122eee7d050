"""Where two stores differ, whatever their size."""

from __future__ import annotations

import pytest

from threadwise.proofs.transformed.images import PART, changed_slots


@pytest.mark.parametrize("size", [0, 1, PART - 1, PART, PART + 1, 3 * PART + 7])
def test_every_cell_that_differs_is_found(size: int) -> None:
    before = tuple(range(size))
    assert changed_slots(before, before) == []
    assert changed_slots(before, tuple(range(size))) == []
    for changed in ({0}, {size - 1}, {0, size // 2, size - 1}, {PART - 1, PART}, set(before)):
        wanted = sorted(slot for slot in changed if 0 <= slot < size)
        after = tuple(-1 - cell if cell in changed else cell for cell in before)
        assert changed_slots(before, after) == wanted
