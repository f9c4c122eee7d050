"""All engines against each other and against brute force, on random programs that loop and call.

No engine may prove what another one or brute force refutes, no evidence may fail its check, and no
engine may break. The programs are those of `mixed_programs`; every seed draws one, some of its
properties, of any kind, and options.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from tests.property.engine_agreement import Agreement
from threadwise.engines.registry import ENGINES

ALL = 5
SEARCHES = 25
NIGHTLY = 3000
BLOCK = 100
LEAVING_OUT = ("explicit", "persistent", "reduction", "summaries")
"""Engines that leave out interleavings, and whom to compare them with; all of them are fast."""


def compare(seeds: Iterable[int], engines: Iterable[str] = tuple(ENGINES)) -> Counter[str]:
    """How often each answer was given; fails at the first program where something is wrong."""
    answers: Counter[str] = Counter()
    for seed in seeds:
        agreement = Agreement.of(seed)
        agreement.run(engines)
        answers += agreement.answers
    return answers


@pytest.mark.parametrize("seed", range(ALL))
def test_all_engines(seed: int) -> None:
    assert compare([seed])


def test_searches_that_leave_out_interleavings() -> None:
    answers = compare(range(SEARCHES), LEAVING_OUT)
    assert answers["brute force"] > SEARCHES // 2
    for name in ("explicit", "persistent", "summaries"):
        assert answers[f"{name} SAFE"] > SEARCHES // 6
        assert answers[f"{name} UNSAFE"] > SEARCHES // 6


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, NIGHTLY, BLOCK))
def test_many(first: int) -> None:
    answers = compare(range(first, first + BLOCK))
    assert answers["brute force"] > BLOCK // 2
