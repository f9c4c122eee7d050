"""Engines that start behind the first steps of programs against search that takes them."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.property.c_heap_setup import generate
from tests.property.test_all_engines_c import compared

ENGINES = "explicit", "counting", "horn", "bounded"
STEPS = 30_000


def test_a_few() -> None:
    found: Counter[str] = Counter()
    for seed in (1, 4):
        found += compared(generate(seed), STEPS, ENGINES)
    assert found["SAFE"]
    assert found["UNSAFE"]


@pytest.mark.slow
@pytest.mark.parametrize("block", range(50))
def test_many(block: int) -> None:
    """A thousand programs."""
    for seed in range(1000 + 20 * block, 1020 + 20 * block):
        compared(generate(seed), STEPS, ENGINES)
