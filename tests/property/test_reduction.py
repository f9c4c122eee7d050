"""Random programs: search over transactions against brute force, and its certificates broken."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property import transactions
from tests.property.programs import DrawnChooser, Features, RandomChooser, generate, programs
from tests.property.transaction_engines import (
    NIGHTLY_CORPUS,
    Item,
    Method,
    change_digest,
    change_part,
    claim_movers,
    flip_after,
    flip_before,
    without,
)
from threadwise.engines.reduction.reduction_engine import ReductionEngine
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.proofs.transactions.certificate import ReductionCertificate

CORPUS = 8
MUTANTS = 12


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


def drop_state(given: ReductionCertificate, rng: random.Random) -> ReductionCertificate:
    if not given.states:
        return given
    k = rng.randrange(len(given.states))
    return replace(
        given,
        states=without(given.states, k),
        parts=without(given.parts, k),
        ranks=without(given.ranks, k),
    )


def lower_ranks(given: ReductionCertificate, rng: random.Random) -> ReductionCertificate:
    return replace(given, ranks=[rng.randrange(rank + 1) for rank in given.ranks])


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


METHOD = Method(
    ReductionEngine,
    ReductionCertificate,
    [drop_state, drop_pair, claim_movers],
    [change_part, change_digest, lower_ranks, flip_before, flip_after],
    bounded=True,
)


@given(drawn())
@settings(max_examples=max(10, settings().max_examples * 2 // 10))
def test_transactions(text: str) -> None:
    METHOD.compared(text)


@given(programs(Features(recursion=True)))
@settings(max_examples=max(5, settings().max_examples // 10))
def test_arbitrary_programs(text: str) -> None:
    METHOD.compared(text)


@pytest.mark.parametrize("seed", range(CORPUS))
def test_corpus(seed: int) -> None:
    found = METHOD.compared(program_of(seed))
    if found is not None:
        METHOD.break_certificates(found, random.Random(seed), MUTANTS)


@pytest.mark.slow
def test_large_corpus(capsys: pytest.CaptureFixture[str]) -> None:
    seeds = range(CORPUS, CORPUS + NIGHTLY_CORPUS)
    told = METHOD.compare_corpus((seed, program_of(seed)) for seed in seeds)
    with capsys.disabled():
        print(f"\n{told}")  # noqa: T201 - the run's report


@pytest.mark.parametrize("seed", range(6))
def test_certificates_survive_files(seed: int) -> None:
    METHOD.survive_files(program_of(seed))
