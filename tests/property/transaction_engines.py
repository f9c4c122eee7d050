"""Engines over transactions against brute force, and their certificates broken."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from tests.property.comparison import MAX_DEPTH, STATE_LIMIT, load, nothing, reachable
from threadwise.core.errors import Unsupported
from threadwise.core.load_options import LoadOptions
from threadwise.engines.api import Engine, EngineOptions, Proved, Task, Undecided, Violated
from threadwise.ir.program import EdgeId, Program
from threadwise.ir.properties import FailureProperty, InvariantProperty, Property
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.documents import certificate_from_json, certificate_to_json
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.transactions.certificate import (
    ReductionCertificate,
    StoreClaims,
    SummaryCertificate,
)
from threadwise.semantics.oracle import OracleAnswer, explore
from threadwise.systems.concrete import ConcreteSystem
from threadwise.traces.replay import replay

Either = ReductionCertificate | SummaryCertificate
C = TypeVar("C", bound=Either)
Given = TypeVar("Given", ReductionCertificate, SummaryCertificate)
Item = TypeVar("Item")
Mutation = Callable[[C, random.Random], C]

NIGHTLY_CORPUS = 2100
"""A few of them are too large to be compared."""
LEAST_UNSAFE = 0.25


@dataclass
class Compared(Generic[C]):
    """A program, what brute force says about it, and what an engine does."""

    text: str
    program: Program
    oracle: OracleAnswer
    answers: Counter[tuple[str, str]] = field(default_factory=Counter)
    certificates: list[C] = field(default_factory=list)


@dataclass(frozen=True)
class Method(Generic[C]):
    """An engine, the certificates it gives, and how to break them."""

    engine: Callable[[], Engine]
    certificate: type[C]
    needed: Sequence[Mutation[C]]
    """Nothing of what these take away can be missed, and nothing they claim is true."""
    others: Sequence[Mutation[C]]
    bounded: bool
    """Whether it stops at a depth as brute force does: else what it finds deeper has to replay,
    a single thread has no bound, and a certificate may have nothing to take away."""

    def compared(self, text: str) -> Compared[C] | None:
        """Every answer is right and has good evidence; only a bound leaves something open.

        None if the program is too large or outside the model.
        """
        program = load(text)
        try:
            if reachable(ConcreteSystem(program), STATE_LIMIT) is None:
                return None
        except Unsupported:
            return None
        found: Compared[C] = Compared(text, program, explore(program, _kept(program), MAX_DEPTH))
        self._compare(found)
        return found

    def _compare(self, found: Compared[C]) -> None:
        program, oracle = found.program, found.oracle
        answered: list[str] = []
        kinds = {checked.name: checked.kind.value for checked in program.properties}
        task = Task(program, _kept(program), EngineOptions(max_depth=MAX_DEPTH))
        for finding in self.engine().run(task):
            match finding:
                case Violated(trace):
                    replay(program, trace)
                    names, answer = (trace.property,), "UNSAFE"
                    deeper = oracle.cut and not self.bounded
                    assert trace.property in oracle.violated or deeper, found.text
                case Proved(names, certificate):
                    answer = "SAFE"
                    assert oracle.violated.isdisjoint(names), (names, found.text)
                    assert not oracle.limits, found.text
                    assert isinstance(certificate, self.certificate)
                    check_certificate(program, certificate, nothing)
                    found.certificates.append(certificate)
                case Undecided(names, _, bound):
                    answer = "UNKNOWN"
                    assert oracle.limits or (oracle.cut and bound), found.text
                    alone = len(ConcreteSystem(program).roles) == 1
                    assert self.bounded or not (alone and bound), found.text
            answered += names
            found.answers.update((kinds[name], answer) for name in names)
        assert sorted(answered) == sorted(p.name for p in _kept(program)), found.text

    def break_certificates(self, found: Compared[C], rng: random.Random, count: int) -> int:
        """Mutants are refused, or prove nothing that brute force violates; how many are."""
        refused = 0
        for certificate in found.certificates:
            for mutant in self._mutants(certificate, rng, count):
                refused += is_refused(found.program, mutant)
                for name in sorted(found.oracle.violated):
                    claim = replace(mutant, properties=(name,))
                    assert is_refused(found.program, claim), (name, found.text)
            for mutate in self.needed:
                mutant = mutate(certificate, rng)
                same = mutant == certificate and not self.bounded
                assert same or is_refused(found.program, mutant), (mutate, found.text)
        return refused

    def _mutants(self, certificate: C, rng: random.Random, count: int) -> Iterator[C]:
        mutations = [*self.needed, *self.others]
        for _ in range(count):
            mutant = certificate
            for _ in range(rng.randrange(1, 4)):
                mutant = rng.choice(mutations)(mutant, rng)
            yield mutant

    def compare_corpus(self, texts: Iterable[tuple[int, str]]) -> str:
        """Compare many programs, by seed; a report."""
        answers: Counter[tuple[str, str]] = Counter()
        compared = unsafe = refused = 0
        for seed, text in texts:
            found = self.compared(text)
            if found is not None:
                refused += self.break_certificates(found, random.Random(seed), 3)
                answers += found.answers
                compared += 1
                unsafe += bool(found.oracle.violated)
        assert compared >= 2000
        assert unsafe > LEAST_UNSAFE * compared
        told = [f"{compared} programs, {unsafe} unsafe, {refused} mutants refused"]
        told += [f"{kind} {answer} {count}" for (kind, answer), count in sorted(answers.items())]
        return "\n".join(told)

    def survive_files(self, text: str) -> None:
        """Certificates that were written and read again are the same, and pass."""
        found = self.compared(text)
        for certificate in () if found is None else found.certificates:
            document = certificate_to_json(certificate, LoadOptions())
            again = certificate_from_json(document, "f")
            assert certificate_to_json(again, LoadOptions()) == document
            assert found is not None
            check_certificate(found.program, again, nothing)


def _kept(program: Program) -> tuple[Property, ...]:
    kinds = FailureProperty | InvariantProperty
    return tuple(checked for checked in program.properties if isinstance(checked, kinds))


def is_refused(program: Program, certificate: Either) -> bool:
    try:
        check_certificate(program, certificate, nothing)
    except Refuted:
        return True
    return False


# -- mutations -----------------------------------------------------------------------------------


def without(rows: Sequence[Item], k: int) -> list[Item]:
    return [*rows[:k], *rows[k + 1 :]]


def change_part(given: Given, rng: random.Random) -> Given:
    if not given.parts:
        return given
    k = rng.randrange(len(given.parts))
    changed = list(given.parts)
    changed[k] = _with_another_letter(changed[k], rng)
    return replace(given, parts=changed)


def _with_another_letter(part: str, rng: random.Random) -> str:
    if not part:
        return part
    k = rng.randrange(len(part))
    return part[:k] + rng.choice("NLR") + part[k + 1 :]


def _with_claims(
    given: Given, rng: random.Random, change: Callable[[StoreClaims], StoreClaims]
) -> Given:
    claims = [list(rows) for rows in given.claims]
    if claims:
        rows = rng.choice(claims)
        k = rng.randrange(len(rows))
        rows[k] = change(rows[k])
    return replace(given, claims=claims)


def change_digest(given: Given, rng: random.Random) -> Given:
    """The pairs, passed off as those of another program or of threads alone."""
    changes = [
        replace(given, alone=not given.alone),
        replace(given, forgotten=()),
        replace(given, forgotten=(), alone=not given.alone),
        replace(given, forgotten=given.forgotten[1:]),
    ]
    return rng.choice(changes)


def flip_before(given: Given, rng: random.Random) -> Given:
    return _with_claims(given, rng, lambda c: c._replace(before_commit=not c.before_commit))


def flip_after(given: Given, rng: random.Random) -> Given:
    return _with_claims(given, rng, lambda c: c._replace(after_commit=not c.after_commit))


def claim_movers(given: Given, rng: random.Random) -> Given:
    every = tuple(EdgeId(n) for n in range(200))
    return _with_claims(given, rng, lambda c: c._replace(right=every, left=every))
