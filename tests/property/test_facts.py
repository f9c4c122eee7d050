"""Proofs with facts on random programs: what is proved, brute force does not violate.

Two kinds of programs: those of the other corpora, and small ones that are all about counting, in
which counters go up and down around sections that assertions and invariants speak about. Many
assertions there are wrong, and few of the right ones are proved without facts.
"""

from __future__ import annotations

import random
from dataclasses import fields, replace
from itertools import product
from typing import Any

import pytest

from tests.property.comparison import load, nothing, reachable
from tests.property.programs import Features, RandomChooser, generate
from tests.property.test_certificate_mutation import mutated
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.engines.api import Engine, EngineOptions, Proved, Task
from threadwise.engines.tar.tar_engine import TarEngine
from threadwise.engines.thread_modular.counted import CountedEngine
from threadwise.engines.thread_modular.thread_modular_engine import ThreadModularEngine
from threadwise.ir.program import Program
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.semantics.oracle import explore
from threadwise.systems.concrete import ConcreteSystem

CORPUS = 6
NIGHTLY_CORPUS = 300
REFINED = 2
NIGHTLY_REFINED = 40
STEPS = 20_000
STATE_LIMIT = 3000
MOST_THREADS = 3
MUTANTS = 6


def counter_program(rng: random.Random) -> str:
    """Threads that count themselves in and out."""
    counts = [rng.choice(("*", "*", "2", "3")) for _ in range(rng.choice((1, 2)))]
    lines = ["int[0..2] c = 0; int[0..2] d = 0; bool busy = false; int[0..1] x = 0;"]
    invariants: list[str] = []
    labels: list[str] = []
    for t, count in enumerate(counts):
        body = [f"while (true) {{ w{t}: {enter(rng)}"]
        for k in range(rng.randint(1, 2)):
            body.append(f"l{k}: {inside(rng)}")
            labels.append(f"t{t} l{k}")
        body.append(leave(rng, body[0]) + " }")
        lines.append(f"thread t{t}[{count}] {{ {' '.join(body)} }}")
    for (first, a), (second, b) in product(map(str.split, labels), repeat=2):
        if rng.random() < 0.3:
            distinct = "i != j && " if first == second else ""
            bound = f"i, j: {first}" if first == second else f"i: {first}. forall j: {second}"
            met = f"{distinct}at(i, {a}) && at(j, {b})"
            invariants.append(f"invariant v{len(invariants)}: forall {bound}. !({met});")
    return "\n".join([*lines, *invariants, "race_free x;"])


def enter(rng: random.Random) -> str:
    guard = rng.choice(("c < 1", "c < 2", "!busy && c < 2", "!busy", "!busy && c == 0", "d == 0"))
    effect = rng.choice(("c = c + 1;", "c = c + 1;", "busy = true;", "c = c + 1; busy = true;"))
    return f"await({guard}) {{ {effect} }}"


def inside(rng: random.Random) -> str:
    return rng.choice(
        (
            "x = 1 - x;",
            "assert(c >= 1);",
            "assert(c <= 1);",
            "assert(busy);",
            "assert(!busy);",
            "assert(d <= c);",
            "await(d < 2) { d = d + 1; }",
            "skip;",
        )
    )


def leave(rng: random.Random, entered: str) -> str:
    """Undo what was done; sometimes not."""
    undone = []
    if "c = c + 1" in entered and rng.random() < 0.9:
        undone.append("c = c - 1;")
    if "busy = true" in entered and rng.random() < 0.9:
        undone.append("busy = false;")
    return f"atomic {{ {' '.join(undone)} }}" if undone else "skip;"


def instances(program: Program) -> list[Program]:
    names = [template.name for template in program.templates if template.count is None]
    if not names:
        return [program]
    counts = product(range(MOST_THREADS + 1), repeat=len(names))
    return [program.with_counts(dict(zip(names, chosen, strict=True))) for chosen in counts]


def violated(program: Program) -> set[str]:
    """What brute force violates with few threads; those that have too many states are left out."""
    found: set[str] = set()
    for instance in instances(program):
        system = ConcreteSystem(instance)
        if system.roles and reachable(system, STATE_LIMIT):
            found |= explore(instance, instance.properties, 3).violated
    return found


def proofs(engine: Engine, program: Program) -> list[Certificate]:
    """The certificates that use facts, and have been checked."""
    options = EngineOptions(facts=True)
    task = Task(program, program.properties, options, Meter(Budget(steps=STEPS)))
    found: list[Certificate] = []
    try:
        for finding in engine.run(task):
            if isinstance(finding, Proved):
                check_certificate(program, finding.certificate, nothing)
                found.append(finding.certificate)
    except (Unsupported, BudgetExhausted):
        pass
    return found


def uses_facts(proof: Certificate) -> bool:
    return isinstance(proof, SymmetricCertificate | RepresentativesCertificate) and bool(
        proof.lemmas
    )


def compare(text: str, engine: Engine, seed: int) -> int:
    """How many properties were proved with facts; their proofs and mutants of them are true."""
    program = load(text)
    found = [proof for proof in proofs(engine, program) if uses_facts(proof)]
    if not found:
        return 0
    wrong = violated(program)
    rng = random.Random(seed)
    for proof in found:
        assert not wrong & set(proof.properties), text
        for _ in range(MUTANTS if wrong else 0):
            _check_mutant(program, proof, wrong, rng, text)
    return sum(len(proof.properties) for proof in found)


def _check_mutant(
    program: Program, proof: Certificate, wrong: set[str], rng: random.Random, text: str
) -> None:
    """A changed proof of what is violated is refused."""
    parts = [f.name for f in fields(proof) if f.name not in ("program_hash", "properties")]
    part = rng.choice(parts)
    changed: dict[str, Any] = {
        part: mutated(getattr(proof, part), rng),
        "properties": tuple(sorted(wrong)),
    }
    try:
        check_certificate(program, replace(proof, **changed), nothing)
    except (Refuted, Unsupported):
        return
    raise AssertionError(text)


def corpus(seeds: range) -> int:
    """How many properties of programs about counting are proved with facts."""
    return sum(
        compare(counter_program(random.Random(seed)), CountedEngine(), seed) for seed in seeds
    )


def test_counters() -> None:
    assert corpus(range(CORPUS)) >= CORPUS // 2


@pytest.mark.parametrize("seed", range(REFINED))
def test_counters_with_predicates(seed: int) -> None:
    compare(counter_program(random.Random(seed)), TarEngine(), seed)


@pytest.mark.slow
def test_many_counters() -> None:
    assert corpus(range(CORPUS, CORPUS + NIGHTLY_CORPUS)) > NIGHTLY_CORPUS // 2


@pytest.mark.slow
def test_many_counters_with_predicates() -> None:
    seeds = range(REFINED, REFINED + NIGHTLY_REFINED)
    proved = sum(
        compare(counter_program(random.Random(seed)), TarEngine(), seed) for seed in seeds
    )
    assert proved > 0


@pytest.mark.slow
@pytest.mark.parametrize("any_number", [False, True])
def test_other_programs(any_number: bool) -> None:
    for seed in range(NIGHTLY_CORPUS // 3):
        features = Features(calls=False, any_number=any_number)
        compare(generate(RandomChooser.of(seed), features), ThreadModularEngine(), seed)
