"""Random claims about movers: engine and checker agree on them, and no wrong verdict follows."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property import test_reduction, test_summaries, transactions
from tests.property.comparison import load
from tests.property.programs import DrawnChooser, RandomChooser
from threadwise.core.errors import Unsupported
from threadwise.engines.movers.classify import classify
from threadwise.engines.movers.sources import Source
from threadwise.engines.thread_modular.certificates import certify
from threadwise.engines.thread_modular.pushdown import pushdown_fixpoint
from threadwise.ir.program import Program
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.transactions.digest import Digest
from threadwise.proofs.transactions.movers import MoverTable
from threadwise.systems.concrete import ConcreteSystem

NIGHTLY_CORPUS = 1000


def judge(program: Program) -> Counter[bool]:
    """Both sides judge every annotated edge alike; how many claims are refuted, and how many not.

    The engine claims of an edge at most what the checker finds.
    """
    found: Counter[bool] = Counter()
    system = ConcreteSystem(program)
    fixpoint = pushdown_fixpoint(system)
    movers = classify(Source(system, system, fixpoint))
    tables = certify("", (), system, fixpoint)
    assert isinstance(tables, PushdownCertificate)
    stores = [tuple(cells) for cells in tables.globals]
    table = MoverTable(Digest(system.interpreter, (), alone=False), stores, tables.pairs, ())
    for t in system.roles:
        for l in movers.stores(t):
            for number, mover in movers.at(t, l).items():
                edge = program.edges[number]
                if edge.mover is not None:
                    moves = table.directions(t, system.reference_local(t, l), edge)
                    assert moves.right >= mover.right
                    assert moves.left >= mover.left
                    true = moves.right >= edge.mover.right and moves.left >= edge.mover.left
                    assert mover.refuted != true, edge.text
                    found[mover.refuted] += 1
    return found


def _gaps(cut: list[re.Match[str]], end: int) -> list[tuple[int, int]]:
    """What is left of a text without some parts."""
    starts = [0, *(match.end() for match in cut)]
    ends = [*(match.start() for match in cut), end]
    return list(zip(starts, ends, strict=True))


def compare(text: str) -> tuple[int, int]:
    """Claims that hold do no harm; how many hold and how many do not."""
    try:
        judged = judge(load(text))
    except Unsupported:
        return 0, 0
    if judged[True]:
        text = keep_true(text)
    test_reduction.METHOD.compared(text)
    test_summaries.METHOD.compared(text)
    return judged[False], judged[True]


def keep_true(text: str) -> str:
    """Drop annotations one by one until none is refuted."""
    while judge(load(text))[True]:
        claims = list(re.finditer(r"mover (right|left|both) ", text))
        for claim in claims:
            others = [c for c in claims if c is not claim]
            only = "".join(text[a:b] for a, b in _gaps(others, len(text)))
            if judge(load(only))[True]:
                text = text[: claim.start()] + text[claim.end() :]
                break
    return text


@st.composite
def drawn(draw: Callable[[st.SearchStrategy[int]], int]) -> str:
    choose = DrawnChooser(draw)
    return transactions.generate(choose, recursion=choose.integer(0, 1) == 1, annotate=True)


@given(drawn())
@settings(max_examples=max(10, settings().max_examples * 2 // 10))
def test_claims(text: str) -> None:
    compare(text)


@pytest.mark.slow
def test_many_claims(capsys: pytest.CaptureFixture[str]) -> None:
    true = wrong = 0
    for seed in range(NIGHTLY_CORPUS):
        text = transactions.generate(
            RandomChooser(random.Random(seed)), recursion=seed % 3 == 0, annotate=True
        )
        found = compare(text)
        true, wrong = true + found[0], wrong + found[1]
    with capsys.disabled():
        print(f"\n{true} claims hold, {wrong} are refuted")  # noqa: T201 - the run's report
    assert true > NIGHTLY_CORPUS
    assert wrong > NIGHTLY_CORPUS // 20


def test_nothing_is_left_of_wrong_claims() -> None:
    text = "int[0..2] wrap x; thread t[2] { mover both x = 1; mover both x = x + 1; }"
    assert keep_true(text) == "int[0..2] wrap x; thread t[2] { x = 1; x = x + 1; }"
