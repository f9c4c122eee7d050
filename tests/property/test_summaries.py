"""Random programs: transactions with procedure summaries against brute force."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property import transactions
from tests.property.programs import DrawnChooser, Features, RandomChooser, generate
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
from threadwise.engines.summaries.summaries_engine import SummariesEngine
from threadwise.proofs.transactions.certificate import SummaryCertificate, SummaryTables

CORPUS = 6
MUTANTS = 4


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


def drop_state(given: SummaryCertificate, rng: random.Random) -> SummaryCertificate:
    if not given.states:
        return given
    k = rng.randrange(len(given.states))
    return replace(given, states=without(given.states, k), parts=without(given.parts, k))


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
    return without(rows, rng.randrange(len(rows))) if rows else []


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


def forget_pairs(given: SummaryCertificate, rng: random.Random) -> SummaryCertificate:
    return given if len(given.summaries) == 1 else replace(given, pairs=None)


METHOD = Method(
    SummariesEngine,
    SummaryCertificate,
    [drop_state, drop_path, claim_movers, drop_mark, drop_summary],
    [
        change_part,
        change_digest,
        mark_everything,
        invent_path,
        invent_return,
        change_node,
        lower_ranks,
        drop_rank,
        flip_before,
        flip_after,
        forget_pairs,
    ],
    bounded=False,
)


def drop_below(given: SummaryCertificate, rng: random.Random) -> SummaryCertificate:
    if not given.below or not any(given.below):
        return given
    k = rng.choice([k for k, rows in enumerate(given.below) if rows])
    below = [list(rows) for rows in given.below]
    below[k] = without(below[k], rng.randrange(len(below[k])))
    return replace(given, below=below)


def lengthen(given: SummaryCertificate, rng: random.Random) -> SummaryCertificate:
    """Pass top frames off as whole stacks."""
    return replace(given, below=None)


MERGED = replace(
    METHOD,
    engine=partial(SummariesEngine, 1, lambda _: True),
    needed=[*METHOD.needed, drop_below],
    others=[*METHOD.others, lengthen],
)
"""Without stacks as soon as possible, where calls go in cycles, too."""


@pytest.mark.parametrize("seed", range(1, 13))
def test_merged_corpus(seed: int) -> None:
    found = MERGED.compared(program_of(seed))
    if found is not None:
        MERGED.break_certificates(found, random.Random(seed), MUTANTS)


@pytest.mark.slow
def test_merged_certificates_survive_files() -> None:
    """Some of these programs are proved without stacks."""
    merged = 0
    for seed in range(1, 13):
        found = MERGED.compared(program_of(seed))
        merged += found is not None and any(c.below is not None for c in found.certificates)
        MERGED.survive_files(program_of(seed))
    assert merged > 2


@given(drawn())
@settings(max_examples=max(10, settings().max_examples * 2 // 10))
def test_transactions(text: str) -> None:
    METHOD.compared(text)


@pytest.mark.parametrize("seed", range(1, CORPUS))
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


@pytest.mark.parametrize("seed", range(1, 6))
def test_certificates_survive_files(seed: int) -> None:
    METHOD.survive_files(program_of(seed))
