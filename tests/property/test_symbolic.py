"""The symbolic engines against brute force, on random programs.

AFR reaches what the oracle reaches; R̄ of TMMC contains R of local proofs contains the oracle's
projections, and where local proofs start from makes no difference; whoever refines decides as the
oracle does; certificates pass and traces replay.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tests.property.comparison import load, nothing, reachable
from tests.property.programs import Features, RandomChooser, generate
from threadwise.backends.bdd.model import Model
from threadwise.core.errors import Unsupported
from threadwise.engines.api import Engine, EngineOptions, Proved, Task, Undecided, Violated
from threadwise.engines.symbolic.afr import AfrEngine
from threadwise.engines.symbolic.components import cartesian, local_proof, thread_modular
from threadwise.engines.symbolic.errors import is_answered
from threadwise.engines.symbolic.interchange import Classes
from threadwise.engines.symbolic.local_proof import LocalProofEngine
from threadwise.engines.symbolic.reachability import Reachability
from threadwise.engines.symbolic.states import contains
from threadwise.engines.symbolic.tmmc import TmmcEngine
from threadwise.engines.symbolic.tmmcir import TmmcirEngine
from threadwise.ir.program import Program
from threadwise.proofs.base.registry import check_certificate
from threadwise.semantics.oracle import OracleAnswer, explore
from threadwise.systems.concrete import ConcreteSystem
from threadwise.traces.replay import replay

STATE_LIMIT = 2_000
BLOCK, BLOCKS = 25, 28
"""Random programs of one nightly test, and the number of these."""
COMPLETE: tuple[Engine, ...] = (AfrEngine(), TmmcirEngine(), LocalProofEngine())


def program_of(seed: int) -> str:
    """A program without calls; every third one is full of locks that hide their holder."""
    features = Features(calls=False, recursion=False, spawn=seed % 4 == 0, tids=seed % 2 == 0)
    return generate(RandomChooser.of(seed), replace(features, protocols=seed % 3 != 0))


def small(program: Program) -> OracleAnswer | None:
    """What brute force says, unless the program is outside the model or large."""
    try:
        if reachable(ConcreteSystem(program), STATE_LIMIT) is None:
            return None
    except Unsupported:
        return None
    return explore(program, program.properties)


def compare(seed: int, symmetries: tuple[bool, ...] = (True, False)) -> Counter[str]:
    """Everything about one program; which answers there were."""
    text = program_of(seed)
    program = load(text)
    oracle = small(program)
    seen: Counter[str] = Counter()
    if oracle is None:
        return seen
    try:
        model = Model.of(program)
    except Unsupported as refused:
        seen[f"refused: {refused.construct}"] += 1
        return seen
    seen["programs"] += 1
    compare_sets(model, oracle, text)
    compare_answers(program, oracle, text, seen, symmetries)
    return seen


def compare_sets(model: Model, oracle: OracleAnswer, text: str) -> None:
    """R of AFR is exact; the components contain each other and the projections of R."""
    reached = Reachability(model).complete()
    assert reached.count(len(model.state_bits)) == len(oracle.states), text
    assert all(contains(model, reached, state) for state in oracle.states), text
    for classes in (Classes.of(model), Classes.single(model)):
        coarse, fine = thread_modular(model, classes), local_proof(model, classes)
        start = {
            t: model.initial_shared & model.threads[t].initial for t in classes.representatives
        }
        plain = cartesian(model, classes, start)
        for thread in model.threads:
            t = thread.thread
            assert fine.of(t) == plain.of(t), text
            assert reached <= fine.of(t), text
            assert fine.of(t) <= coarse.of(t), text


def compare_answers(
    program: Program,
    oracle: OracleAnswer,
    text: str,
    seen: Counter[str],
    symmetries: tuple[bool, ...],
) -> None:
    """Same verdicts as brute force, with good evidence."""
    asked = tuple(p for p in program.properties if is_answered(p))
    for engine in (*COMPLETE, TmmcEngine()):
        for symmetry in symmetries:
            answers: dict[str, str] = {}
            task = Task(program, asked, EngineOptions(symmetry=symmetry))
            for finding in engine.run(task):
                if isinstance(finding, Violated):
                    replay(program, finding.trace)
                    answers[finding.trace.property] = "violated"
                elif isinstance(finding, Proved):
                    check_certificate(program, finding.certificate, nothing)
                    answers.update((name, "proved") for name in finding.properties)
                else:
                    answers.update((name, "undecided") for name in finding.properties)
                    assert isinstance(finding, Undecided)
            assert set(answers) == {p.name for p in asked}, text
            for name, answer in answers.items():
                seen[f"{engine.name} {answer}"] += 1
                expected = "violated" if name in oracle.violated else "proved"
                if answer == "undecided":
                    assert engine.name == "tmmc" or oracle.limits, text
                else:
                    assert answer == expected, f"{engine.name} says {name} is {answer}:\n{text}"


def test_a_sample_of_random_programs() -> None:
    seen: Counter[str] = Counter()
    for seed in range(6):
        seen.update(compare(seed, (True,)))
    for engine in COMPLETE:
        assert seen[f"{engine.name} proved"]
        assert seen[f"{engine.name} violated"]
    assert seen["tmmc proved"]
    assert seen["tmmc undecided"]


@pytest.mark.slow
@pytest.mark.parametrize("block", range(BLOCKS))
def test_many_random_programs(block: int) -> None:
    """About 24 of 25 programs are small enough: more than 600 in all."""
    seen: Counter[str] = Counter()
    for seed in range(1_000 + block * BLOCK, 1_000 + (block + 1) * BLOCK):
        seen.update(compare(seed))
    assert seen["programs"] >= BLOCK // 2
    assert seen["tmmcir proved"]
    assert seen["tmmcir violated"]
