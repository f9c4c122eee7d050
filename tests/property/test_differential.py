"""Random programs: engines, evidence and text forms against brute force.

Two sources of programs: hypothesis, which shrinks what fails, and a seeded corpus, which is the
same everywhere. The nightly run prints how often each answer was given and insists that none is
rare: a generator whose programs are nearly all safe would test little.
"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings

from tests.property.comparison import Comparison, program_of
from tests.property.programs import Features, programs

CORPUS = 5
NIGHTLY_CORPUS = 600
SMALL = 800
"""The number of states up to which programs drawn by hypothesis are compared."""
LEAST_FRACTION = 0.15


@given(programs(Features(calls=False)))
@settings(max_examples=max(2, settings().max_examples * 2 // 10))
def test_programs_without_calls(text: str) -> None:
    comparison = Comparison.of(text, SMALL)
    if comparison is not None:
        comparison.run_all()


@given(programs(Features(recursion=True)))
@settings(max_examples=max(2, settings().max_examples * 2 // 10))
def test_programs_with_calls(text: str) -> None:
    comparison = Comparison.of(text, SMALL)
    if comparison is not None:
        comparison.run_all()


@pytest.mark.parametrize("seed", range(CORPUS))
def test_corpus(seed: int) -> None:
    comparison = Comparison.of(program_of(seed))
    if comparison is not None:
        comparison.run_all()


@pytest.mark.slow
def test_large_corpus(capsys: pytest.CaptureFixture[str]) -> None:
    answers: Counter[tuple[str, str]] = Counter()
    compared = 0
    for seed in range(CORPUS, CORPUS + NIGHTLY_CORPUS):
        comparison = Comparison.of(program_of(seed))
        if comparison is not None:
            comparison.run_all()
            answers += comparison.answers
            compared += 1
    assert compared > 0.9 * NIGHTLY_CORPUS
    assert answers.pop(("cartesian", "compared")) > 0.2 * NIGHTLY_CORPUS
    fractions = _fractions(answers)
    with capsys.disabled():
        print(f"\n{compared} programs\n{_table(answers)}")  # noqa: T201 - the run's report
    assert min(fractions.values()) >= LEAST_FRACTION


def _fractions(answers: Counter[tuple[str, str]]) -> dict[str, float]:
    total = sum(answers.values())
    return {
        answer: sum(count for (_, given), count in answers.items() if given == answer) / total
        for answer in ("SAFE", "UNSAFE", "UNKNOWN")
    }


def _table(answers: Counter[tuple[str, str]]) -> str:
    lines = [f"{'kind':10} {'SAFE':>7} {'UNSAFE':>7} {'UNKNOWN':>7}"]
    kinds = sorted({kind for kind, _ in answers})
    for kind in kinds:
        row = Counter({key: count for key, count in answers.items() if key[0] == kind})
        lines.append(f"{kind:10} " + " ".join(f"{part:7.1%}" for part in _fractions(row).values()))
    lines.append(
        f"{'all':10} " + " ".join(f"{part:7.1%}" for part in _fractions(answers).values())
    )
    return "\n".join(lines)
