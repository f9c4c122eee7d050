"""Random finite programs: TAR proves exactly what is safe in a thread-modular way (Theorem 3)."""

from __future__ import annotations

import pytest

from tests.property.comparison import load
from tests.property.programs import Features, RandomChooser, generate
from tests.tar_runs import run_tar
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.engines.api import Engine
from threadwise.engines.tar.engine import TarBEngine, TarEngine, TarHavocEngine
from threadwise.engines.thread_modular.engine import ThreadModularEngine
from threadwise.ir.program import Program
from threadwise.ir.properties import DeadlockProperty
from threadwise.semantics.oracle import explore
from threadwise.systems.symmetric.errors import mixes_quantifiers

FEATURES = (Features(calls=False), Features(calls=False, any_number=True))
CORPUS = 4
NIGHTLY_CORPUS = 120
STEPS = 60_000
FEW_STEPS = 40_000
MANY_STEPS = 400_000


def program_of(seed: int) -> str:
    """One program of the corpus; every other one has any number of threads."""
    return generate(RandomChooser.of(seed), FEATURES[seed % 2])


def names_of(program: Program) -> list[str]:
    """The properties that predicates over a few threads may prove."""
    return [
        p.name
        for p in program.properties
        if not isinstance(p, DeadlockProperty) and not mixes_quantifiers(p)
    ]


def compare(text: str, steps: int, weaker: tuple[Engine, ...] = ()) -> bool:
    """Whether there was something to compare."""
    program = load(text)
    names = names_of(program)
    try:
        modular = run_tar(ThreadModularEngine(), program, names, STEPS)
        refined = run_tar(TarEngine(), program, names, steps)
    except (Unsupported, BudgetExhausted):
        return False
    if not (modular.ended and refined.ended):
        return False
    assert refined.safe == modular.safe, text
    if not program.has_any_number:
        answer = explore(program, program.properties)
        assert refined.unsafe <= answer.violated, text
        assert not refined.safe & answer.violated, text
    for engine in weaker:
        found = run_tar(engine, program, names, steps)
        assert found.safe <= modular.safe, (engine.name, text)
    return True


@pytest.mark.parametrize("seed", range(CORPUS))
def test_corpus(seed: int) -> None:
    compare(program_of(seed), FEW_STEPS)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "features"), [(33, FEATURES[0]), (22, FEATURES[1])])
def test_predicates_about_ids(seed: int, features: Features) -> None:
    """A proof that names a thread, and a formula of the solver that no certificate can contain."""
    assert compare(generate(RandomChooser.of(seed), features), MANY_STEPS)


@pytest.mark.slow
def test_large_corpus() -> None:
    weaker = (TarBEngine(), TarHavocEngine())
    compared = sum(
        compare(program_of(seed), MANY_STEPS, weaker)
        for seed in range(CORPUS, CORPUS + NIGHTLY_CORPUS)
    )
    assert compared > 0.6 * NIGHTLY_CORPUS
