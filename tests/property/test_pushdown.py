"""Random programs: pushdown thread-modular checking against the finite rules and brute force."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property import transactions
from tests.property.comparison import MAX_DEPTH, STATE_LIMIT, load, nothing, reachable
from tests.property.programs import DrawnChooser, Features, RandomChooser, generate
from threadwise.core.errors import InputError, Unsupported
from threadwise.engines.api import EngineOptions, Proved, Task, Violated
from threadwise.engines.movers.pairs import has_calls
from threadwise.engines.thread_modular.pushdown import pushdown_fixpoint
from threadwise.engines.thread_modular.rules import thread_modular_fixpoint
from threadwise.engines.thread_modular.thread_modular_engine import ThreadModularEngine
from threadwise.ir.program import Program
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.semantics.oracle import OracleAnswer, explore
from threadwise.systems.concrete import ConcreteSystem

Item = TypeVar("Item")

CORPUS = 10
NIGHTLY_CORPUS = 2200
"""A few of them are too large to be compared."""
LEAST_UNSAFE = 0.25


@dataclass
class Compared:
    """A program, what brute force says about it, and its proofs."""

    text: str
    program: Program
    system: ConcreteSystem
    oracle: OracleAnswer
    answers: Counter[str] = field(default_factory=Counter)
    certificates: list[PushdownCertificate] = field(default_factory=list)

    @staticmethod
    def of(text: str) -> Compared | None:
        """Load and explore; None if the program is too large or outside the model."""
        try:
            program = load(text)
            system = ConcreteSystem(program)
            if reachable(system, STATE_LIMIT) is None:
                return None
        except (Unsupported, InputError):  # recursion inside an atomic block is refused
            return None
        return Compared(text, program, system, explore(program, program.properties, MAX_DEPTH))

    def fixpoint(self) -> None:
        """Without calls it is the finite fixpoint; R contains all that threads can be in."""
        found = pushdown_fixpoint(self.system)
        if not has_calls(self.program):
            finite = thread_modular_fixpoint(self.system)
            for t in self.system.roles:
                assert found.reached[t].keys() == finite.reached[t].keys(), self.text
                assert found.guarantees[t].keys() == finite.guarantees[t].keys(), self.text
        pairs = [
            {(g, self.system.reference_local(t, l)) for g, l in found.reached[t]}
            for t in self.system.roles
        ]
        for state in self.oracle.states:
            for reached, l in zip(pairs, state.locals, strict=True):
                assert (state.g.cells, l) in reached, self.text

    def engine(self) -> None:
        """SAFE implies SAFE, and every proof checks."""
        task = Task(self.program, self.program.properties, EngineOptions(symmetry=False))
        proved: set[str] = set()
        for finding in ThreadModularEngine().run(task):
            assert not isinstance(finding, Violated)
            if isinstance(finding, Proved):
                proved |= set(finding.properties)
                check_certificate(self.program, finding.certificate, nothing)
                if isinstance(finding.certificate, PushdownCertificate):
                    self.certificates.append(finding.certificate)
        assert not proved & self.oracle.violated, self.text
        assert not (proved and self.oracle.limits), self.text
        self.answers["SAFE"] += len(proved)
        self.answers["UNSAFE"] += len(self.oracle.violated)
        self.answers["all"] += len(self.program.properties)

    def mutants(self, rng: random.Random) -> int:
        """What is taken out of a certificate is missed; how many mutants are refused."""
        refused = 0
        for certificate in self.certificates:
            for mutate in (drop_path, drop_caller, drop_guarantee):
                mutant = mutate(certificate, rng)
                if mutant != certificate:
                    assert self.is_refused(mutant), (mutate, self.text)
                    refused += 1
            for name in self.oracle.violated:
                assert self.is_refused(replace(certificate, properties=(name,))), self.text
        return refused

    def is_refused(self, certificate: PushdownCertificate) -> bool:
        try:
            check_certificate(self.program, certificate, nothing)
        except Refuted:
            return True
        return False


def _without_one(tables: Sequence[Sequence[Item]], rng: random.Random) -> Sequence[Sequence[Item]]:
    kept = [list(rows) for rows in tables]
    filled = [rows for rows in kept if rows]
    if filled:
        rows = rng.choice(filled)
        del rows[rng.randrange(len(rows))]
    return kept


def drop_path(given: PushdownCertificate, rng: random.Random) -> PushdownCertificate:
    return replace(given, path_edges=_without_one(given.path_edges, rng))


def drop_caller(given: PushdownCertificate, rng: random.Random) -> PushdownCertificate:
    return replace(given, callers=_without_one(given.callers, rng))


def drop_guarantee(given: PushdownCertificate, rng: random.Random) -> PushdownCertificate:
    return replace(given, guarantees=_without_one(given.guarantees, rng))


def program_of(seed: int) -> str:
    """A quarter of the programs has no calls."""
    choose = RandomChooser.of(seed)
    if seed % 4 == 0:
        return generate(choose, Features(calls=False))
    if seed % 4 == 1:
        return generate(choose, Features(recursion=True))
    return transactions.generate(choose, recursion=True)


@st.composite
def drawn(draw: Callable[[st.SearchStrategy[int]], int]) -> str:
    return transactions.generate(DrawnChooser(draw), recursion=True)


@given(drawn())
@settings(max_examples=max(10, settings().max_examples // 10))
def test_programs_with_calls(text: str) -> None:
    compared = Compared.of(text)
    if compared is not None:
        compared.fixpoint()
        compared.engine()


@pytest.mark.parametrize("seed", range(CORPUS))
def test_corpus(seed: int) -> None:
    compared = Compared.of(program_of(seed))
    if compared is not None:
        compared.fixpoint()
        compared.engine()
        compared.mutants(random.Random(seed))


@pytest.mark.slow
def test_large_corpus(capsys: pytest.CaptureFixture[str]) -> None:
    answers: Counter[str] = Counter()
    total = unsafe = refused = 0
    for seed in range(CORPUS, CORPUS + NIGHTLY_CORPUS):
        compared = Compared.of(program_of(seed))
        if compared is not None:
            compared.fixpoint()
            compared.engine()
            refused += compared.mutants(random.Random(seed))
            answers += compared.answers
            total += 1
            unsafe += bool(compared.oracle.violated)
    with capsys.disabled():
        print(f"\n{total} programs, {unsafe} unsafe, {refused} mutants refused")  # noqa: T201
        print(*sorted(answers.items()))  # noqa: T201 - the run's report
    assert total >= 2000
    assert unsafe > LEAST_UNSAFE * total
