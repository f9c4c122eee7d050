"""Audits of proofs by tables: pairs with procedures, chains, persistent sets, representatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from tests.unit.proofs.base.audited import accepted, broken_by, prove
from tests.unit.semantics.running import model
from threadwise.ir.program import Program
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.frontier.certificate import FrontierCertificate
from threadwise.proofs.persistent import check as persistent_check
from threadwise.proofs.persistent.certificate import PersistentCertificate
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.symmetric.audit import Writer
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.proofs.transactions.certificate import (
    ReductionCertificate,
    StoreClaims,
    SummaryCertificate,
)
from threadwise.semantics.step import Interpreter

Item = TypeVar("Item")

CALLS = model("""
    mutex m; int[0..2] x;
    void set(int[0..2] v) { acquire(m); x = v; release(m); }
    thread t { set(1); set(0); }
    thread u { set(2); assert(x <= 2); }
    race_free x;
""")
HANDSHAKE = model("""
    bool flag; int[0..3] x, y;
    thread a { int[0..3] r; x = 1; r = x; flag = true; y = r; }
    thread b { assume(flag); assert(x == 1); y = 2; }
    race_free x;
""")
APART = model("""
    int[0..3] x, y, z;
    thread a { x = 1; x = 2; z = 1; }
    thread b { y = 1; y = 2; z = 2; }
    race_free x;
""")


def without(rows: Sequence[Item], number: int) -> list[Item]:
    return [*rows[:number], *rows[number + 1 :]]


def with_row(rows: Sequence[Any], number: int, row: object) -> list[Any]:
    return [*rows[:number], row, *rows[number + 1 :]]


def breaks(program: Program, certificate: Certificate) -> bool:
    """Whether some run breaks it."""
    try:
        broken_by(program, certificate, seeds=1)
    except pytest.fail.Exception:
        return False
    return True


# -- procedures ---------------------------------------------------------------------------------


def pushdown() -> PushdownCertificate:
    proof = prove(CALLS, "thread-modular", symmetry=False)
    assert isinstance(proof, PushdownCertificate)
    return proof


def test_true_pairs_with_entries_pass() -> None:
    for seed in range(5):
        assert accepted(CALLS, pushdown(), seed).never == ()


@pytest.mark.parametrize("table", ["path_edges", "callers", "guarantees"])
def test_what_happens_must_be_listed(table: str) -> None:
    """Of each table, rows that runs look at are missed; others are not reached by any run."""
    proof = pushdown()
    for thread, rows in enumerate(getattr(proof, table)):
        missed = 0
        tried = range(0, len(rows), 1 + len(rows) // 20)
        for number in tried:
            tables = with_row(getattr(proof, table), thread, without(rows, number))
            changes: dict[str, Any] = {table: tables}
            missed += breaks(CALLS, replace(proof, **changes))
        assert missed >= len(tried) // 2


# -- chains -------------------------------------------------------------------------------------


def chain() -> FrontierCertificate:
    proof = prove(APART, "cartesian-frontier")
    assert isinstance(proof, FrontierCertificate)
    return proof


def test_a_true_chain_passes() -> None:
    for seed in range(5):
        assert accepted(APART, chain(), seed).never == ()


def test_every_element_of_a_chain_is_needed() -> None:
    proof = chain()
    assert len(proof.chain) == 7
    for number, sets in enumerate(proof.chain):
        for thread in range(len(sets)):
            emptied = with_row(sets, thread, [])
            broken_by(APART, replace(proof, chain=with_row(proof.chain, number, emptied)))


# -- persistent sets ----------------------------------------------------------------------------


def persistent(program: Program) -> PersistentCertificate:
    proof = prove(program, "persistent")
    assert isinstance(proof, PersistentCertificate)
    assert any(thread != -1 for thread in proof.chosen)
    return proof


@pytest.mark.parametrize("program", [APART, HANDSHAKE, CALLS])
def test_true_persistent_sets_pass(program: Program) -> None:
    for seed in range(5):
        audit = accepted(program, persistent(program), seed)
        assert "threads touch what their futures say" not in audit.never


def test_a_state_that_a_choice_leads_to_is_needed() -> None:
    proof = persistent(APART)
    for number in range(len(proof.states)):
        fewer = replace(
            proof,
            states=without(proof.states, number),
            chosen=without(proof.chosen, number),
        )
        broken_by(APART, fewer)


def test_a_thread_that_depends_on_others_cannot_be_chosen() -> None:
    """In the first state, the steps of `b` are no stand-in for those of `a` that touch y."""
    program = model("""
        int[0..3] x, y;
        thread a { y = 1; }
        thread b { x = y; assert(x == 0); }
    """)
    first = next(iter(Interpreter(program).initial_states()))
    everything = [[(-1, -1)] * len(program.locations)] * 2
    forged = PersistentCertificate("", ("range",), [first], [1], everything)
    run = broken_by(program, forged)
    assert run.moves == ()


def test_futures_without_what_is_touched_are_broken() -> None:
    proof = persistent(HANDSHAKE)
    for thread, rows in enumerate(proof.futures):
        body = HANDSHAKE.templates[thread].body
        entry = HANDSHAKE.procedure[body].entry
        read, written = rows[entry]
        for bit in range(3):
            for less in ((read & ~(1 << bit), written), (read, written & ~(1 << bit))):
                if less != rows[entry]:
                    futures = with_row(proof.futures, thread, with_row(rows, entry, less))
                    broken_by(HANDSHAKE, replace(proof, futures=futures))


def test_a_fault_in_what_edges_touch_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engine and checker ask the same analysis; if it forgets what is read, both are content."""
    forgetful: Callable[..., int] = lambda *_: 0  # noqa: E731
    monkeypatch.setattr("threadwise.analyses.touches.Touches.read_by", forgetful)
    program = model("""
        int[0..3] x, y;
        thread a { y = 1; }
        thread b { x = y; assert(x == 0); }
    """)
    found = [p for p in program.properties if p.name.startswith("assert")]
    proof = prove(program, "persistent", "range", *[p.name for p in found])
    persistent_check.check_persistent(program, proof, lambda: None)  # type: ignore[arg-type]
    broken_by(program, proof)


# -- representatives ----------------------------------------------------------------------------

ANY_NUMBER = model("""
    tid owner; int[0..2] x; int[0..1] mine[t];
    thread t[*] { while (true) {
        atomic { assume(owner == none); owner = self; }
        mine[self] = 1; x = 1; assert(owner == self); x = 0; mine[self] = 0;
        owner = none;
    } }
    invariant held: x == 1 ==> owner != none;
""")
TWO_KINDS = model("""
    mutex m; int[0..2] x;
    void add() { acquire(m); if (x < 2) { x = x + 1; } release(m); }
    thread t[2] { add(); add(); }
    thread u { acquire(m); x = 0; release(m); }
    race_free x;
""")


def symmetric(program: Program) -> SymmetricCertificate:
    proof = prove(program, "thread-modular")
    assert isinstance(proof, SymmetricCertificate)
    return proof


@pytest.mark.parametrize("program", [ANY_NUMBER, TWO_KINDS])
def test_true_views_pass(program: Program) -> None:
    for seed in range(5):
        assert accepted(program, symmetric(program), seed).never == ()


@pytest.mark.parametrize(
    ("program", "table"),
    [
        (ANY_NUMBER, "reached"),
        (ANY_NUMBER, "guarantees"),
        (TWO_KINDS, "path_edges"),
        (TWO_KINDS, "callers"),
        (TWO_KINDS, "guarantees"),
    ],
)
def test_views_must_list_what_happens(program: Program, table: str) -> None:
    """Rows that runs look at are missed; a proof may list others, which none does."""
    proof = symmetric(program)
    for representative, rows in enumerate(getattr(proof, table)):
        missed = 0
        tried = range(0, len(rows), 1 + len(rows) // 20)
        for number in tried:
            tables = with_row(getattr(proof, table), representative, without(rows, number))
            changes: dict[str, Any] = {table: tables}
            missed += breaks(program, replace(proof, **changes))
        assert missed >= len(tried) // 2


def test_threads_of_a_kind_are_only_told_apart_by_who_they_are() -> None:
    """A view says whether the owner is the thread itself, not which of the others it is."""
    instance = ANY_NUMBER.with_counts({"t": 4})
    writer = Writer(instance, frozenset({"t"}))
    l = Interpreter(instance).initial_local(0)
    views = {
        (me, owner): writer.view(me, (owner, 0, 0, 0, 0, 0), l)
        for me in (1, 2)
        for owner in range(4)
    }
    assert views[1, 1] == views[2, 2]
    assert views[1, 0] == views[1, 2] == views[1, 3] == views[2, 1]
    assert views[1, 1] != views[1, 2]
    mine = writer.view(1, (0, 0, 0, 1, 0, 0), l)
    assert mine not in views.values()
    assert writer.view(2, (0, 0, 0, 0, 1, 0), l) == mine
    assert writer.view(2, (0, 0, 0, 1, 0, 0), l) == views[2, 0]


# -- transactions -------------------------------------------------------------------------------

TRANSACTIONS = model("""
    mutex m; int[0..3] x, y;
    thread t { acquire(m); x = 1; x = 0; release(m); y = 1; }
    thread u { acquire(m); assert(x == 0); release(m); y = 2; }
""")


def reduction() -> ReductionCertificate:
    proof = prove(TRANSACTIONS, "reduction")
    assert isinstance(proof, ReductionCertificate)
    return proof


def summaries() -> SummaryCertificate:
    proof = prove(TRANSACTIONS, "summaries")
    assert isinstance(proof, SummaryCertificate)
    return proof


@pytest.mark.parametrize("make", [reduction, summaries])
def test_true_transactions_pass(
    make: Callable[[], ReductionCertificate | SummaryCertificate],
) -> None:
    for seed in range(5):
        assert accepted(TRANSACTIONS, make(), seed).never == ()


@pytest.mark.parametrize("make", [reduction, summaries])
def test_states_of_transactions_are_needed(
    make: Callable[[], ReductionCertificate | SummaryCertificate],
) -> None:
    """Each but those in which a thread has failed, or that are inside summaries."""
    proof = make()
    missed = 0
    for number in range(len(proof.states)):
        changes: dict[str, Any] = {
            "states": without(proof.states, number),
            "parts": without(proof.parts, number),
        }
        missed += breaks(TRANSACTIONS, replace(proof, **changes))
    assert missed == len(proof.states)


@pytest.mark.parametrize("make", [reduction, summaries])
@pytest.mark.parametrize("direction", ["right", "left"])
def test_steps_that_do_not_move_are_found_out(
    make: Callable[[], ReductionCertificate | SummaryCertificate], direction: str
) -> None:
    """Writes of y conflict; claimed to be movers, both orders are tried, and differ."""
    proof = make()
    for thread, rows in enumerate(proof.claims):
        forged = [_all_move(claims, direction) for claims in rows]
        changes: dict[str, Any] = {"claims": with_row(proof.claims, thread, forged)}
        broken_by(TRANSACTIONS, replace(proof, **changes))


def _all_move(claims: StoreClaims, direction: str) -> StoreClaims:
    edges = tuple(edge.id for edge in TRANSACTIONS.outgoing[claims.l.pc])
    return claims._replace(right=edges) if direction == "right" else claims._replace(left=edges)
