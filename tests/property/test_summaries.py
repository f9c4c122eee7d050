"""Random programs: transactions with procedure summaries against brute force."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property import transactions
from tests.property.comparison import MAX_DEPTH, STATE_LIMIT, load, nothing, reachable
from tests.property.programs import DrawnChooser, Features, RandomChooser, generate
from threadwise.core.errors import Unsupported
from threadwise.engines.api import EngineOptions, Proved, Task, Undecided, Violated
from threadwise.engines.summaries.engine import SummariesEngine
from threadwise.evidence.certificate import StoreClaims, SummaryCertificate, SummaryTables
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

CORPUS = 12
NIGHTLY_CORPUS = 2100
"""A few of them are too large to be compared."""
LEAST_UNSAFE = 0.25
MUTANTS = 4


@dataclass
class Summarised:
    """A program, what brute force says about it, and what summaries do."""

    text: str
    program: Program
    oracle: OracleAnswer
    answers: Counter[tuple[str, str]] = field(default_factory=Counter)
    certificates: list[SummaryCertificate] = field(default_factory=list)

    @staticmethod
    def of(text: str) -> Summarised | None:
        """Load and explore; None if the program is too large or outside the model."""
        program = load(text)
        try:
            if reachable(ConcreteSystem(program), STATE_LIMIT) is None:
                return None
        except Unsupported:
            return None
        return Summarised(text, program, explore(program, _preserved(program), MAX_DEPTH))

    def compare(self) -> None:
        """Every answer is right and has good evidence; only a bound leaves something open.

        Brute force stops at a depth, summaries may not: what they find deeper has to replay.
        """
        answered: list[str] = []
        kinds = {checked.name: checked.kind.value for checked in self.program.properties}
        task = Task(self.program, _preserved(self.program), EngineOptions(max_depth=MAX_DEPTH))
        for finding in SummariesEngine().run(task):
            match finding:
                case Violated(trace):
                    replay(self.program, trace)
                    names, answer = (trace.property,), "UNSAFE"
                    assert trace.property in self.oracle.violated or self.oracle.cut, self.text
                case Proved(names, certificate):
                    answer = "SAFE"
                    assert self.oracle.violated.isdisjoint(names), (names, self.text)
                    assert not self.oracle.limits, self.text
                    assert isinstance(certificate, SummaryCertificate)
                    check_certificate(self.program, certificate, nothing)
                    self.certificates.append(certificate)
                case Undecided(names, _, bound):
                    answer = "UNKNOWN"
                    assert self.oracle.limits or (self.oracle.cut and bound), self.text
                    assert len(ConcreteSystem(self.program).roles) != 1 or not bound, self.text
            answered += names
            self.answers.update((kinds[name], answer) for name in names)
        assert sorted(answered) == sorted(p.name for p in _preserved(self.program)), self.text


def _preserved(program: Program) -> tuple[Property, ...]:
    kinds = FailureProperty | InvariantProperty
    return tuple(checked for checked in program.properties if isinstance(checked, kinds))


def program_of(seed: int) -> str:
    """Of each three programs, two are about transactions; one in eight has one thread."""
    choose = RandomChooser.of(seed)
    if seed % 3:
        return transactions.generate(choose, recursion=seed % 4 != 0, alone=seed % 8 == 1)
    return generate(choose, Features(recursion=seed % 2 == 0))


@st.composite
def drawn(draw: Callable[[st.SearchStrategy[int]], int]) -> str:
    choose = DrawnChooser(draw)
    alone = choose.integer(0, 5) == 5
    return transactions.generate(choose, recursion=choose.integer(0, 1) == 1, alone=alone)


@given(drawn())
@settings(max_examples=max(10, settings().max_examples * 2 // 10))
def test_transactions(text: str) -> None:
    summarised = Summarised.of(text)
    if summarised is not None:
        summarised.compare()


@pytest.mark.parametrize("seed", range(1, CORPUS))
def test_corpus(seed: int) -> None:
    summarised = Summarised.of(program_of(seed))
    if summarised is not None:
        summarised.compare()
        break_certificates(summarised, random.Random(seed), MUTANTS)


@pytest.mark.slow
def test_large_corpus(capsys: pytest.CaptureFixture[str]) -> None:
    answers: Counter[tuple[str, str]] = Counter()
    compared = unsafe = refused = 0
    for seed in range(CORPUS, CORPUS + NIGHTLY_CORPUS):
        summarised = Summarised.of(program_of(seed))
        if summarised is not None:
            summarised.compare()
            refused += break_certificates(summarised, random.Random(seed), 3)
            answers += summarised.answers
            compared += 1
            unsafe += bool(summarised.oracle.violated)
    with capsys.disabled():
        print(f"\n{compared} programs, {unsafe} unsafe, {refused} mutants refused")  # noqa: T201
        for key, count in sorted(answers.items()):
            print(*key, count)  # noqa: T201 - the run's report
    assert compared >= 2000
    assert unsafe > LEAST_UNSAFE * compared


# -- certificates --------------------------------------------------------------------------------

Mutation = Callable[[SummaryCertificate, random.Random], SummaryCertificate]


def drop_state(given: SummaryCertificate, rng: random.Random) -> SummaryCertificate:
    if not given.states:
        return given
    k = rng.randrange(len(given.states))
    return replace(
        given,
        states=[*given.states[:k], *given.states[k + 1 :]],
        parts=[*given.parts[:k], *given.parts[k + 1 :]],
    )


def change_part(given: SummaryCertificate, rng: random.Random) -> SummaryCertificate:
    if not given.parts:
        return given
    k = rng.randrange(len(given.parts))
    parts = list(given.parts[k])
    if parts:
        parts[rng.randrange(len(parts))] = rng.choice("NLR")
    return replace(given, parts=[*given.parts[:k], "".join(parts), *given.parts[k + 1 :]])


def _with_tables(
    given: SummaryCertificate, rng: random.Random, change: Callable[[SummaryTables], SummaryTables]
) -> SummaryCertificate:
    if not given.summaries:
        return given
    k = rng.randrange(len(given.summaries))
    tables = list(given.summaries)
    tables[k] = change(tables[k])
    return replace(given, summaries=tables)


def _without_one(rows: Sequence[Item], rng: random.Random) -> list[Item]:
    kept = list(rows)
    if kept:
        del kept[rng.randrange(len(kept))]
    return kept


def drop_path(given: SummaryCertificate, rng: random.Random) -> SummaryCertificate:
    return _with_tables(
        given, rng, lambda t: t._replace(path_edges=_without_one(t.path_edges, rng))
    )


def drop_mark(given: SummaryCertificate, rng: random.Random) -> SummaryCertificate:
    return _with_tables(given, rng, lambda t: t._replace(marks=_without_one(t.marks, rng)))


def mark_everything(given: SummaryCertificate, rng: random.Random) -> SummaryCertificate:
    return _with_tables(given, rng, lambda t: t._replace(marks=range(len(t.nodes))))


def drop_summary(given: SummaryCertificate, rng: random.Random) -> SummaryCertificate:
    name = rng.choice(["sums", "calls", "returns"])
    return _with_tables(
        given, rng, lambda t: t._replace(**{name: _without_one(getattr(t, name), rng)})
    )


def invent_path(given: SummaryCertificate, rng: random.Random) -> SummaryCertificate:
    def change(tables: SummaryTables) -> SummaryTables:
        count = len(tables.nodes)
        row = (rng.randrange(count), rng.randrange(count))
        return tables._replace(path_edges=[*tables.path_edges, row])

    return _with_tables(given, rng, change)


def invent_return(given: SummaryCertificate, rng: random.Random) -> SummaryCertificate:
    def change(tables: SummaryTables) -> SummaryTables:
        if not tables.frames:
            return tables
        count = len(tables.nodes)
        row = (rng.randrange(count), rng.randrange(len(tables.frames)), rng.randrange(count))
        return tables._replace(returns=[*tables.returns, row])

    return _with_tables(given, rng, change)


def change_node(given: SummaryCertificate, rng: random.Random) -> SummaryCertificate:
    def change(tables: SummaryTables) -> SummaryTables:
        k = rng.randrange(len(tables.nodes))
        g, l, _ = tables.nodes[k]
        changed = (g, l, rng.choice("NLR"))
        return tables._replace(nodes=[*tables.nodes[:k], changed, *tables.nodes[k + 1 :]])

    return _with_tables(given, rng, change)


def lower_ranks(given: SummaryCertificate, rng: random.Random) -> SummaryCertificate:
    def change(tables: SummaryTables) -> SummaryTables:
        lowered = [(a, b, f, rng.randrange(rank + 1)) for a, b, f, rank in tables.ranks]
        return tables._replace(ranks=lowered)

    return _with_tables(given, rng, change)


def drop_rank(given: SummaryCertificate, rng: random.Random) -> SummaryCertificate:
    return _with_tables(given, rng, lambda t: t._replace(ranks=_without_one(t.ranks, rng)))


def _with_claims(
    given: SummaryCertificate, rng: random.Random, change: Callable[[StoreClaims], StoreClaims]
) -> SummaryCertificate:
    claims = [list(rows) for rows in given.claims]
    if claims:
        rows = rng.choice(claims)
        k = rng.randrange(len(rows))
        rows[k] = change(rows[k])
    return replace(given, claims=claims)


def flip_before(given: SummaryCertificate, rng: random.Random) -> SummaryCertificate:
    return _with_claims(given, rng, lambda c: c._replace(before_commit=not c.before_commit))


def flip_after(given: SummaryCertificate, rng: random.Random) -> SummaryCertificate:
    return _with_claims(given, rng, lambda c: c._replace(after_commit=not c.after_commit))


def claim_movers(given: SummaryCertificate, rng: random.Random) -> SummaryCertificate:
    every = tuple(EdgeId(n) for n in range(200))
    return _with_claims(given, rng, lambda c: c._replace(right=every, left=every))


def forget_pairs(given: SummaryCertificate, rng: random.Random) -> SummaryCertificate:
    return given if len(given.summaries) == 1 else replace(given, pairs=None)


NEEDED: list[Mutation] = [drop_state, drop_path, claim_movers, drop_mark, drop_summary]
"""Nothing of what these take away can be missed, and nothing they claim is true."""
MUTATIONS: list[Mutation] = [
    *NEEDED,
    change_part,
    mark_everything,
    invent_path,
    invent_return,
    change_node,
    lower_ranks,
    drop_rank,
    flip_before,
    flip_after,
    forget_pairs,
]


def is_refused(program: Program, certificate: SummaryCertificate) -> bool:
    try:
        check_certificate(program, certificate, nothing)
    except Refuted:
        return True
    return False


def break_certificates(summarised: Summarised, rng: random.Random, count: int) -> int:
    """Mutants are refused, or prove nothing that brute force violates; how many are refused."""
    refused = 0
    wrong = sorted(summarised.oracle.violated)
    for certificate in summarised.certificates:
        for mutant in _mutants(certificate, rng, count):
            refused += is_refused(summarised.program, mutant)
            for name in wrong:
                claim = replace(mutant, properties=(name,))
                assert is_refused(summarised.program, claim), (name, summarised.text)
        for mutate in NEEDED:
            mutant = mutate(certificate, rng)
            assert mutant == certificate or is_refused(summarised.program, mutant), (
                mutate,
                summarised.text,
            )
    return refused


def _mutants(
    certificate: SummaryCertificate, rng: random.Random, count: int
) -> Iterator[SummaryCertificate]:
    for _ in range(count):
        mutant = certificate
        for _ in range(rng.randrange(1, 4)):
            mutant = rng.choice(MUTATIONS)(mutant, rng)
        yield mutant


@pytest.mark.parametrize("seed", range(1, 6))
def test_certificates_survive_files(seed: int) -> None:
    summarised = Summarised.of(program_of(seed))
    if summarised is not None:
        summarised.compare()
        for certificate in summarised.certificates:
            document = certificate_to_json(certificate, LoadOptions())
            again = certificate_from_json(document, "f")
            assert certificate_to_json(again, LoadOptions()) == document
            check_certificate(summarised.program, again, nothing)
