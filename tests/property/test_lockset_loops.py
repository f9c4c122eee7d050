"""Threads in loops: what `locksets` proves has no race, and evidence survives a file."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.property.c_thread_loops import generate
from tests.property.test_locksets import compared


def test_a_few() -> None:
    found = Counter(compared(generate(seed)) for seed in range(13, 17))
    assert found["racy"]
    assert found["proved"]


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_many(block: int) -> None:
    for seed in range(1000 + 20 * block, 1020 + 20 * block):
        compared(generate(seed))
