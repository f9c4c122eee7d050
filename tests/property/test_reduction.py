"""Random programs: search over transactions against brute force, and its certificates broken."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property import transactions
from tests.property.comparison import MAX_DEPTH, STATE_LIMIT, load, nothing, reachable
from tests.property.programs import DrawnChooser, Features, RandomChooser, generate, programs
from threadwise.core.errors import Unsupported
from threadwise.engines.api import EngineOptions, Proved, Task, Undecided, Violated
from threadwise.engines.reduction.engine import ReductionEngine
from threadwise.evidence.certificate import (
    ReductionCertificate,
    StoreClaims,
    ThreadModularCertificate,
)
from threadwise.evidence.check import check_certificate
from threadwise.evidence.jsonio import certificate_from_json, certificate_to_json
from threadwise.evidence.proof import Refuted
from threadwise.evidence.replay import replay
from threadwise.evidence.result import LoadOptions
from threadwise.ir.program import EdgeId, Program
from threadwise.ir.properties import FailureProperty, InvariantProperty, Property
from threadwise.semantics.oracle import OracleAnswer, explore
from threadwise.systems.concrete import ConcreteSystem

Item = TypeVar("Item")

CORPUS = 24
NIGHTLY_CORPUS = 2100
"""A few of them are too large to be compared."""
LEAST_UNSAFE = 0.25
MUTANTS = 12


@dataclass
class Reduced:
    """A program, what brute force says about it, and what reduction does."""

    text: str
    program: Program
    oracle: OracleAnswer
    answers: Counter[tuple[str, str]] = field(default_factory=Counter)
    certificates: list[ReductionCertificate] = field(default_factory=list)

    @staticmethod
    def of(text: str) -> Reduced | None:
        """Load and explore; None if the program is too large or outside the model."""
        program = load(text)
        try:
            if reachable(ConcreteSystem(program), STATE_LIMIT) is None:
                return None
        except Unsupported:
            return None
        return Reduced(text, program, explore(program, _preserved(program), MAX_DEPTH))

    def compare(self) -> None:
        """Every answer is right and has good evidence; only a bound leaves something open."""
        answered: list[str] = []
        kinds = {checked.name: checked.kind.value for checked in self.program.properties}
        options = EngineOptions(max_depth=MAX_DEPTH)
        for finding in ReductionEngine().run(
            Task(self.program, _preserved(self.program), options)
        ):
            match finding:
                case Violated(trace):
                    replay(self.program, trace)
                    names, answer = (trace.property,), "UNSAFE"
                    assert trace.property in self.oracle.violated, self.text
                case Proved(names, certificate):
                    answer = "SAFE"
                    assert self.oracle.violated.isdisjoint(names), (names, self.text)
                    assert not self.oracle.limits, self.text
                    assert isinstance(certificate, ReductionCertificate)
                    check_certificate(self.program, certificate, nothing)
                    self.certificates.append(certificate)
                case Undecided(names, _, bound):
                    answer = "UNKNOWN"
                    assert self.oracle.limits or (self.oracle.cut and bound), self.text
            answered += names
            self.answers.update((kinds[name], answer) for name in names)
        assert sorted(answered) == sorted(p.name for p in _preserved(self.program)), self.text


def _preserved(program: Program) -> tuple[Property, ...]:
    kinds = FailureProperty | InvariantProperty
    return tuple(checked for checked in program.properties if isinstance(checked, kinds))


def program_of(seed: int) -> str:
    """Of each three programs, two are about transactions."""
    choose = RandomChooser.of(seed)
    if seed % 3:
        return transactions.generate(choose, recursion=seed % 2 == 0)
    return generate(choose, Features(recursion=seed % 2 == 0))


@st.composite
def drawn(draw: Callable[[st.SearchStrategy[int]], int]) -> str:
    choose = DrawnChooser(draw)
    return transactions.generate(choose, recursion=choose.integer(0, 1) == 1)


@given(drawn())
@settings(max_examples=max(10, settings().max_examples * 2 // 10))
def test_transactions(text: str) -> None:
    reduced = Reduced.of(text)
    if reduced is not None:
        reduced.compare()


@given(programs(Features(recursion=True)))
@settings(max_examples=max(5, settings().max_examples // 10))
def test_arbitrary_programs(text: str) -> None:
    reduced = Reduced.of(text)
    if reduced is not None:
        reduced.compare()


@pytest.mark.parametrize("seed", range(CORPUS))
def test_corpus(seed: int) -> None:
    reduced = Reduced.of(program_of(seed))
    if reduced is not None:
        reduced.compare()
        break_certificates(reduced, random.Random(seed), MUTANTS)


@pytest.mark.slow
def test_large_corpus(capsys: pytest.CaptureFixture[str]) -> None:
    answers: Counter[tuple[str, str]] = Counter()
    compared = unsafe = refused = 0
    for seed in range(CORPUS, CORPUS + NIGHTLY_CORPUS):
        reduced = Reduced.of(program_of(seed))
        if reduced is not None:
            reduced.compare()
            refused += break_certificates(reduced, random.Random(seed), 3)
            answers += reduced.answers
            compared += 1
            unsafe += bool(reduced.oracle.violated)
    with capsys.disabled():
        print(f"\n{compared} programs, {unsafe} unsafe, {refused} mutants refused")  # noqa: T201
        for key, count in sorted(answers.items()):
            print(*key, count)  # noqa: T201 - the run's report
    assert compared >= 2000
    assert unsafe > LEAST_UNSAFE * compared


# -- certificates --------------------------------------------------------------------------------

Mutation = Callable[[ReductionCertificate, random.Random], ReductionCertificate]


def drop_state(given: ReductionCertificate, rng: random.Random) -> ReductionCertificate:
    if not given.states:
        return given
    k = rng.randrange(len(given.states))
    return replace(
        given,
        states=[*given.states[:k], *given.states[k + 1 :]],
        parts=[*given.parts[:k], *given.parts[k + 1 :]],
        ranks=[*given.ranks[:k], *given.ranks[k + 1 :]],
    )


def change_part(given: ReductionCertificate, rng: random.Random) -> ReductionCertificate:
    if not given.parts:
        return given
    k = rng.randrange(len(given.parts))
    parts = list(given.parts[k])
    parts[rng.randrange(len(parts))] = rng.choice("NLR")
    return replace(given, parts=[*given.parts[:k], "".join(parts), *given.parts[k + 1 :]])


def lower_ranks(given: ReductionCertificate, rng: random.Random) -> ReductionCertificate:
    return replace(given, ranks=[rng.randrange(rank + 1) for rank in given.ranks])


def _with_claims(
    given: ReductionCertificate, rng: random.Random, change: Callable[[StoreClaims], StoreClaims]
) -> ReductionCertificate:
    claims = [list(rows) for rows in given.claims]
    rows = rng.choice(claims)
    k = rng.randrange(len(rows))
    rows[k] = change(rows[k])
    return replace(given, claims=claims)


def flip_before(given: ReductionCertificate, rng: random.Random) -> ReductionCertificate:
    return _with_claims(given, rng, lambda c: c._replace(before_commit=not c.before_commit))


def flip_after(given: ReductionCertificate, rng: random.Random) -> ReductionCertificate:
    return _with_claims(given, rng, lambda c: c._replace(after_commit=not c.after_commit))


def claim_movers(given: ReductionCertificate, rng: random.Random) -> ReductionCertificate:
    every = tuple(EdgeId(n) for n in range(200))
    return _with_claims(given, rng, lambda c: c._replace(right=every, left=every))


def _drop_one(tables: list[list[Item]], rng: random.Random) -> None:
    filled = [rows for rows in tables if rows]
    if filled:
        rows = rng.choice(filled)
        del rows[rng.randrange(len(rows))]


def drop_pair(given: ReductionCertificate, rng: random.Random) -> ReductionCertificate:
    if isinstance(given.pairs, ThreadModularCertificate):
        reached = [list(rows) for rows in given.pairs.reached]
        _drop_one(reached, rng)
        return replace(given, pairs=replace(given.pairs, reached=reached))
    path_edges = [list(rows) for rows in given.pairs.path_edges]
    _drop_one(path_edges, rng)
    return replace(given, pairs=replace(given.pairs, path_edges=path_edges))


NEEDED: list[Mutation] = [drop_state, drop_pair, claim_movers]
"""Nothing of what these take away can be missed, and nothing they claim is true."""
MUTATIONS: list[Mutation] = [*NEEDED, change_part, lower_ranks, flip_before, flip_after]


def is_refused(program: Program, certificate: ReductionCertificate) -> bool:
    try:
        check_certificate(program, certificate, nothing)
    except Refuted:
        return True
    return False


def break_certificates(reduced: Reduced, rng: random.Random, count: int) -> int:
    """Mutants are refused, or prove nothing that brute force violates; how many are refused."""
    refused = 0
    wrong = sorted(reduced.oracle.violated)
    for certificate in reduced.certificates:
        for mutant in _mutants(certificate, rng, count):
            refused += is_refused(reduced.program, mutant)
            for name in wrong:
                claim = replace(mutant, properties=(name,))
                assert is_refused(reduced.program, claim), (name, reduced.text)
        for mutate in NEEDED:
            assert is_refused(reduced.program, mutate(certificate, rng)), reduced.text
    return refused


def _mutants(
    certificate: ReductionCertificate, rng: random.Random, count: int
) -> Iterator[ReductionCertificate]:
    for _ in range(count):
        mutant = certificate
        for _ in range(rng.randrange(1, 4)):
            mutant = rng.choice(MUTATIONS)(mutant, rng)
        yield mutant


@pytest.mark.parametrize("seed", range(6))
def test_certificates_survive_files(seed: int) -> None:
    reduced = Reduced.of(program_of(seed))
    if reduced is not None:
        reduced.compare()
        for certificate in reduced.certificates:
            document = certificate_to_json(certificate, LoadOptions())
            again = certificate_from_json(document, "f")
            assert certificate_to_json(again, LoadOptions()) == document
            check_certificate(reduced.program, again, nothing)
