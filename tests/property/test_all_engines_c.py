"""All engines on random C with threads and a heap: none contradicts another.

A proof may assume what the report lists, but not what excuses it from a violation that another
engine shows: a run that replays in the reference semantics is a run.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.every_engine import verdicts
from tests.property.c_heap_threads import generate
from tests.property.c_threads import generate as generate_large
from threadwise.engines.registry import ENGINES

NAMES = "assertions", "memory", "races"


def compared(text: str, steps: int, engines: tuple[str, ...]) -> Counter[str]:
    """What is decided about a program by all engines; fails if two contradict each other."""
    found = verdicts(text, *NAMES, engines=engines, steps=steps)
    decided: Counter[str] = Counter()
    for told in zip(*found.values(), strict=True):
        answers = set(told) - {"UNKNOWN"}
        assert len(answers) < 2, (found, text)
        decided.update(answers)
    return decided


FAST = "locksets", "explicit", "persistent", "walks"
"""Those that decide most of them."""


def test_a_few() -> None:
    found: Counter[str] = Counter()
    for seed in range(2):
        found += compared(generate(seed), 20_000, FAST)
    assert found["SAFE"]
    assert found["UNSAFE"]


@pytest.mark.slow
@pytest.mark.parametrize("block", range(50))
def test_many(block: int) -> None:
    """A thousand programs, four in five of them small."""
    for seed in range(1000 + 20 * block, 1020 + 20 * block):
        text = generate_large(seed) if seed % 5 == 0 else generate(seed)
        compared(text, 20_000, tuple(ENGINES))
