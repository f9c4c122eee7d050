"""Proofs of a safe program carried to a variant of the same shape that is not safe.

A *variant* is the text of the program with one small change: another number, another comparison,
another lock or none. Its lines stay where they are, so properties keep their names. A *carried*
proof is the original's, with the hashes of the variant; it claims a property that the variant
violates, as brute force or a replayed trace shows. Besides, it is changed at random places. None
of these may be accepted: a checker that says yes has an obligation too few.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from tests.every_engine import loaded
from tests.property.c_heap_threads import generate as heap_program
from tests.property.comparison import MAX_DEPTH, load, nothing, program_of, reachable
from tests.property.mixed_programs import mixed_program_of
from tests.property.test_certificate_mutation import mutant, mutated
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, InputError, Unsupported
from threadwise.engines.api import EngineOptions, Proved, Task, Violated
from threadwise.engines.registry import ENGINES
from threadwise.ir.program import Program
from threadwise.ir.properties import Property
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted, claimed_properties
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.transformed.certificate import Simplify, TransformedCertificate, behind
from threadwise.proofs.transformed.steps import programs_after
from threadwise.semantics.oracle import explore
from threadwise.systems.concrete import ConcreteSystem
from threadwise.traces.replay import replay

STEPS = 5_000
"""How long each engine looks for a proof of the original."""
STATES = 1_500
"""Variants with more states are not looked at."""
CHANGES = (
    (r"\b[0-2]\b", ("0", "1", "2")),
    (r"==|!=", ("==", "!=")),
    (r"<|>=", ("<", ">=")),
    (r"\btrue\b|\bfalse\b", ("true", "false")),
    (r"\b(?:acquire|release)\(m\);", ("skip;", "acquire(n);", "release(n);")),
    (r"pthread_mutex_lock\(&m\);", ("", "pthread_rwlock_rdlock(&rw);")),
    (r"pthread_rwlock_(?:rd|wr)lock", ("pthread_rwlock_rdlock", "pthread_rwlock_wrlock")),
    (r"sem_wait\(&se\);", ("", "sem_post(&se);")),
    (r"pthread_join\(y, 0\);", ("", "pthread_join(z, 0);")),
)


def variants(text: str, rng: random.Random, count: int) -> Iterator[str]:
    """Texts with one change each."""
    places = [
        (found.span(), other)
        for pattern, others in CHANGES
        for found in re.finditer(pattern, text)
        for other in others
        if other != found.group()
    ]
    for (start, end), other in rng.sample(places, min(count, len(places))):
        yield text[:start] + other + text[end:]


def proofs_in_c(text: str, engines: Iterable[str]) -> Iterator[Certificate]:
    """What engines prove about a C program, as proofs about the program of record."""
    found = loaded(text)
    assert found.simpler is not None
    steps = tuple(map(Simplify, found.simpler.names))
    for certificate in proofs(found.worked_on, engines):
        yield behind(steps, program_hash(found.program), certificate)


def proofs(
    program: Program,
    engines: Iterable[str],
    asked: Sequence[Property] | None = None,
    steps: int = STEPS,
) -> Iterator[Certificate]:
    """What engines prove about a program, within few steps."""
    for name in engines:
        meter = Meter(Budget(steps=steps))
        options = EngineOptions(max_depth=MAX_DEPTH, max_instances=2)
        task = Task(program, tuple(asked or program.properties), options, meter)
        with suppress(Unsupported, BudgetExhausted):
            for finding in ENGINES[name].create().run(task):
                if isinstance(finding, Proved):
                    yield finding.certificate


def carried(certificate: Certificate, program: Program, name: str) -> Certificate | None:
    """The proof as one of a property of another program; None if its steps do not apply."""
    found = program_hash(program)
    if not isinstance(certificate, TransformedCertificate):
        return replace(certificate, program_hash=found, properties=(name,))
    try:
        claimed = claimed_properties(program, (name,))
        chain = list(programs_after(program, certificate.steps, claimed, nothing))
    except (Refuted, Unsupported):
        return None
    last = program_hash(chain[-1].program if chain else program)
    inner = replace(certificate.inner, program_hash=last, properties=(name,))
    return replace(certificate, program_hash=found, properties=(name,), inner=inner)


def is_accepted(program: Program, certificate: Certificate) -> bool:
    """Whether the checker says yes to something that is wrong."""
    try:
        proof = check_certificate(program, certificate, nothing)
    except (Refuted, Unsupported):
        return False
    return set(certificate.properties) <= set(proof.properties)


def violated(program: Program) -> frozenset[str]:
    """What a model violates; nothing if it is too large to tell."""
    with suppress(Unsupported):
        if reachable(ConcreteSystem(program), STATES) is not None:
            return explore(program, program.properties, MAX_DEPTH).violated
    return frozenset()


def refuted(program: Program, engine: str = "explicit", steps: int = STEPS) -> frozenset[str]:
    """What a search shows to be violated: in C, and where there may be any number of threads."""
    found: set[str] = set()
    meter = Meter(Budget(steps=steps))
    task = Task(program, program.properties, EngineOptions(max_depth=MAX_DEPTH), meter)
    with suppress(Unsupported, BudgetExhausted):
        for finding in ENGINES[engine].create().run(task):
            if isinstance(finding, Violated):
                replay(program, finding.trace)
                found.add(finding.trace.property)
    return frozenset(found)


def attempts(seed: int, engines: Iterable[str] = tuple(ENGINES), rounds: int = 3) -> Counter[str]:
    """How many carried proofs and mutants of them were refused; fails at one that is not."""
    rng = random.Random(seed)
    is_c = seed % 5 == 4
    text = (heap_program if is_c else rng.choice([mixed_program_of, program_of]))(seed)
    counts: Counter[str] = Counter()
    given: list[Certificate] = []
    if is_c:
        given += proofs_in_c(text, engines)
    elif not (original := load(text)).has_any_number:
        given += proofs(original, engines)
    for changed in variants(text, rng, 6 if given else 0):
        try:
            program = loaded(changed).program if is_c else load(changed)
        except (InputError, Unsupported):
            continue
        if program.has_any_number:
            continue
        wrong = refuted(program) if is_c else violated(program)
        for certificate in given:
            for name in sorted(wrong & set(certificate.properties)):
                counts += refuse(program, certificate, name, rng, rounds, changed)
    return counts


def label(certificate: Certificate) -> str:
    """The kind of a proof, with the transformations in front of it."""
    if not isinstance(certificate, TransformedCertificate):
        return certificate.kind
    steps = [type(step).__name__ for step in certificate.steps if not isinstance(step, Simplify)]
    in_c = ["C"] if len(steps) < len(certificate.steps) else []
    return " ".join([*in_c, *steps, certificate.inner.kind])


def changed_at_random(
    moved: Certificate, program: Program, name: str, rng: random.Random
) -> Certificate | None:
    """A carried proof with a change in its tables, or in its steps; then hashes are mended."""
    if not isinstance(moved, TransformedCertificate):
        return mutant(moved, rng)
    if rng.random() < 0.3:
        return carried(replace(moved, steps=mutated(moved.steps, rng)), program, name)
    return replace(moved, inner=mutant(moved.inner, rng))


def refuse(
    program: Program,
    certificate: Certificate,
    name: str,
    rng: random.Random,
    rounds: int,
    text: str,
    kind: str = "",
) -> Counter[str]:
    """Fails if a carried proof, or a change of it, is accepted; how many were not."""
    kind = kind or label(certificate)
    moved = carried(certificate, program, name)
    if moved is None:
        return Counter({f"{kind}, steps": 1})
    assert not is_accepted(program, moved), (moved.kind, name, text)
    refused = 1
    for _ in range(rounds):
        other = changed_at_random(moved, program, name, rng)
        assert other is None or not is_accepted(program, other), (moved.kind, name, text, other)
        refused += 1
    return Counter({kind: refused})
