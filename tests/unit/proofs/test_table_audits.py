"""Audits of proofs by tables: pairs with procedures, chains, persistent sets, representatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from tests.unit.proofs.audited import accepted, broken_by, prove
from tests.unit.semantics.running import model
from threadwise.ir.program import Program
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.frontier.certificate import FrontierCertificate
from threadwise.proofs.persistent import check as persistent_check
from threadwise.proofs.persistent.certificate import PersistentCertificate
from threadwise.proofs.pushdown.certificate import PushdownCertificate
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
        for number in range(len(rows)):
            tables = with_row(getattr(proof, table), thread, without(rows, number))
            changes: dict[str, Any] = {table: tables}
            missed += breaks(CALLS, replace(proof, **changes))
        assert missed >= len(rows) // 2


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
