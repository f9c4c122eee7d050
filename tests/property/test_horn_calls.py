"""Random programs with procedures: what Horn clauses with calls prove, brute force confirms."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from tests.property.comparison import MAX_DEPTH, STATE_LIMIT, load, nothing, reachable
from tests.property.test_pushdown import program_of
from threadwise.analyses.regions import has_calls
from threadwise.core.errors import InputError, Unsupported
from threadwise.engines.api import EngineOptions, Proved, Task, Violated
from threadwise.engines.horn.horn_engine import HornEngine
from threadwise.ir.program import Program
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.semantics.oracle import OracleAnswer, explore
from threadwise.systems.concrete import ConcreteSystem
from threadwise.traces.replay import replay

OPTIONS = EngineOptions(k=1, max_solver_units=400_000)
SEEDS = (1, 2, 3)
NIGHTLY = 400


def explored(text: str) -> tuple[Program, OracleAnswer] | None:
    """A program with calls and what brute force says; None if it is too large or has none."""
    try:
        program = load(text)
        if not has_calls(program) or reachable(ConcreteSystem(program), STATE_LIMIT) is None:
            return None
    except (Unsupported, InputError):
        return None
    return program, explore(program, program.properties, MAX_DEPTH)


def compare(seed: int) -> Counter[str]:
    """SAFE implies SAFE, proofs check, and proofs without something of use are refused."""
    found: Counter[str] = Counter()
    text = program_of(seed)
    known = explored(text)
    if known is None:
        return found
    program, oracle = known
    found["programs"] += 1
    try:
        for finding in HornEngine().run(Task(program, program.properties, OPTIONS)):
            if isinstance(finding, Violated):
                replay(program, finding.trace)
                assert finding.trace.property in oracle.violated or oracle.limits, text
                found["violated"] += 1
            elif isinstance(finding, Proved):
                assert not set(finding.properties) & oracle.violated, text
                assert not oracle.limits, text
                check_certificate(program, finding.certificate, nothing)
                found["proved"] += len(finding.properties)
                found["refused"] += mutants(program, oracle, finding, random.Random(seed))
    except Unsupported:
        found["refused programs"] += 1
    return found


def mutants(program: Program, oracle: OracleAnswer, finding: Proved, rng: random.Random) -> int:
    given = finding.certificate
    assert isinstance(given, RepresentativesCertificate)
    refused = 0
    for name in oracle.violated:
        assert is_refused(program, replace(given, properties=(name,)))
        refused += 1
    reached = {local.pc for state in oracle.states for local in state.locals}
    bodies = {template.body for template in program.templates}
    formulas = list(given.formulas)
    kept = [
        f
        for f in formulas
        if f.locations[0] in reached and program.procedure_of[f.locations[0]].name in bodies
    ]
    if kept:
        formulas.remove(rng.choice(kept))
        assert is_refused(program, replace(given, formulas=tuple(formulas)))
        refused += 1
    return refused


def is_refused(program: Program, certificate: RepresentativesCertificate) -> bool:
    try:
        check_certificate(program, certificate, nothing)
    except Refuted:
        return True
    return False


def test_random_programs() -> None:
    total: Counter[str] = Counter()
    for seed in SEEDS:
        total += compare(seed)
    assert total["proved"]
    assert total["refused"]


@pytest.mark.slow
def test_many_random_programs() -> None:
    total: Counter[str] = Counter()
    for seed in range(NIGHTLY):
        total += compare(seed)
    assert total["proved"] > NIGHTLY / 4
    assert total["refused"] > NIGHTLY / 8
