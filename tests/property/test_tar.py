"""Random finite programs: TAR proves exactly what is safe in a thread-modular way (Theorem 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.property.comparison import MAX_DEPTH, STATE_LIMIT, load, reachable
from tests.property.programs import Features, RandomChooser, generate
from tests.tar_runs import run_tar
from threadwise.analyses.regions import has_calls
from threadwise.core.errors import BudgetExhausted, InputError, Unsupported
from threadwise.engines.api import Finding, Task
from threadwise.engines.tar.tar_engine import TarBEngine, TarEngine, TarHavocEngine
from threadwise.engines.thread_modular.thread_modular_engine import ThreadModularEngine
from threadwise.ir.program import Program
from threadwise.ir.properties import DeadlockProperty
from threadwise.semantics.oracle import explore
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.symmetric.errors import mixes_quantifiers

KINDS = {
    "finite": Features(calls=False),
    "any number": Features(calls=False, any_number=True),
    "calls": Features(recursion=True),
    "any number and calls": Features(recursion=True, any_number=True),
}
CORPUS = 1
"""Programs of each kind."""
BLOCK = 10
BLOCKS = 10
"""Blocks of programs of each kind, nightly."""
STEPS = 60_000
FEW_STEPS = 40_000
MANY_STEPS = 200_000


@dataclass(frozen=True)
class Refining:
    """A refinement engine on the program as it is: Theorem 3 knows no creation index."""

    engine: TarEngine

    @property
    def name(self) -> str:
        return self.engine.name

    def run(self, task: Task) -> Iterator[Finding]:
        yield from self.engine.refine(task)


def names_of(program: Program) -> list[str]:
    """The properties that predicates over a few threads may prove."""
    return [
        p.name
        for p in program.properties
        if not isinstance(p, DeadlockProperty) and not mixes_quantifiers(p)
    ]


def compare(text: str, steps: int, weaker: tuple[TarEngine, ...] = ()) -> bool:
    """Whether there was something to compare."""
    try:
        program = load(text)
    except (InputError, Unsupported):  # recursion inside an atomic block is refused
        return False
    names = names_of(program)
    try:
        modular = run_tar(ThreadModularEngine(), program, names, STEPS)
        refined = run_tar(Refining(TarEngine()), program, names, steps)
    except (Unsupported, BudgetExhausted):
        return False
    if not program.has_any_number and reachable(ConcreteSystem(program), STATE_LIMIT):
        answer = explore(program, program.properties, MAX_DEPTH)
        assert refined.unsafe <= answer.violated or answer.cut, text
        assert not refined.safe & answer.violated, text
    if not (modular.ended and refined.ended):
        return False
    if has_calls(program):
        # a summary relates every entry of a procedure to its exits, predicates only some
        assert refined.safe <= modular.safe, text
    else:
        assert refined.safe == modular.safe, text
    for engine in weaker:
        found = run_tar(Refining(engine), program, names, steps)
        assert found.safe <= modular.safe, (engine.name, text)
    return True


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(CORPUS))
def test_corpus(kind: str, seed: int) -> None:
    compare(generate(RandomChooser.of(seed), KINDS[kind]), FEW_STEPS)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "kind"), [(33, "finite"), (22, "any number")])
def test_predicates_about_ids(seed: int, kind: str) -> None:
    """A proof that names a thread, and a formula of the solver that no certificate can contain."""
    assert compare(generate(RandomChooser.of(seed), KINDS[kind]), MANY_STEPS)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_large_corpus(kind: str, block: int) -> None:
    modular = kind in ("finite", "any number")
    weaker = (TarBEngine(), TarHavocEngine()) if modular else ()
    first = CORPUS + block * BLOCK
    compared = sum(
        compare(generate(RandomChooser.of(seed), KINDS[kind]), MANY_STEPS, weaker)
        for seed in range(first, first + BLOCK)
    )
    assert compared >= 0.3 * BLOCK
