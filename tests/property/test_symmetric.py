"""Any number of threads: what is proved for all of them holds for each number of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.property.comparison import Comparison, load, nothing
from tests.property.programs import Features, RandomChooser, generate, programs
from threadwise.core.errors import Unsupported
from threadwise.engines.api import EngineOptions, Proved, Task
from threadwise.engines.thread_modular.thread_modular_engine import ThreadModularEngine
from threadwise.ir.program import Program
from threadwise.proofs.base.registry import check_certificate
from threadwise.semantics.oracle import explore
from threadwise.systems.concrete import ConcreteSystem

FEATURES = (Features(any_number=True), Features(calls=False, any_number=True))
COUNTS = range(5)
CORPUS = 10
STATE_LIMIT = 700
"""Larger instances are left to the nightly run."""
NIGHTLY_CORPUS = 400


def proved(program: Program, *, symmetry: bool = True) -> set[str] | None:
    """What thread-modular checking proves, every proof checked; None if it does not apply."""
    task = Task(program, program.properties, EngineOptions(symmetry=symmetry))
    found: set[str] = set()
    try:
        for finding in ThreadModularEngine().run(task):
            if isinstance(finding, Proved):
                check_certificate(program, finding.certificate, nothing)
                found |= set(finding.properties)
    except Unsupported:
        return None
    return found


def compare(text: str, limit: int = STATE_LIMIT) -> bool:
    """Whether there was something to compare."""
    program = load(text)
    claimed = proved(program)
    if claimed is None:
        return False
    (template,) = (t.name for t in program.templates if t.count is None)
    for count in COUNTS:
        instance = program.with_counts({template: count})
        system = ConcreteSystem(instance)
        one_by_one = proved(instance, symmetry=False)
        assert (one_by_one is None) == (not system.roles), (count, text)
        assert one_by_one is None or claimed <= one_by_one, (count, text)
        comparison = Comparison.explored(text, instance, system, limit)
        if comparison is None:
            break
        answer = explore(instance, instance.properties)
        assert not claimed & answer.violated, (count, text)
        assert not (claimed and answer.limits), (count, text)
    return True


def program_of(seed: int) -> str:
    """One program of the corpus; every other one may have procedures."""
    return generate(RandomChooser.of(seed), FEATURES[seed % 2])


@given(programs(FEATURES[1]))
@settings(max_examples=max(8, settings().max_examples // 10))
def test_any_number(text: str) -> None:
    compare(text)


@pytest.mark.parametrize("seed", range(CORPUS))
def test_corpus_with_any_number(seed: int) -> None:
    compare(program_of(seed))


@pytest.mark.slow
def test_large_corpus_with_any_number() -> None:
    compared = sum(
        compare(program_of(seed), limit=3000) for seed in range(CORPUS, CORPUS + NIGHTLY_CORPUS)
    )
    assert compared > 0.5 * NIGHTLY_CORPUS
