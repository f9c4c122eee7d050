"""A program without threads has a state all the same, and invariants hold in it or not."""

from __future__ import annotations

import pytest

import threadwise
from threadwise import Refuted, Verdict
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.frontier.certificate import FrontierCertificate
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate

MODEL = """
    int[0..1] g;
    thread t[0] { g = 1; }
    invariant bad: g == 1;
    invariant nobody: exists i: t. true;
    invariant good: forall i: t. false;
"""


def test_invariants_are_decided() -> None:
    verdicts = {p.name: p.verdict for p in threadwise.check(MODEL, in_process=True).properties}
    assert verdicts["bad"] is Verdict.UNSAFE
    assert verdicts["nobody"] is Verdict.UNSAFE
    assert verdicts["good"] is Verdict.SAFE


@pytest.mark.parametrize("engine", ["thread-modular", "cartesian", "cartesian-frontier"])
def test_modular_engines_prove_nothing(engine: str) -> None:
    result = threadwise.check(MODEL, properties="bad", engine=engine, in_process=True)
    assert result.verdict is Verdict.UNKNOWN


def test_empty_tables_are_no_proof() -> None:
    program = threadwise.load(MODEL)
    known = program_hash(program)
    forged: list[Certificate] = [
        ThreadModularCertificate(known, ("bad",), (), (), ()),
        PushdownCertificate(known, ("bad",), (), (), (), (), ()),
        FrontierCertificate(known, ("bad",), (), ((),)),
        SymmetricCertificate(known, ("bad",), {"t": 0}, (), (), (), ()),
    ]
    for certificate in forged:
        with pytest.raises(Refuted):
            check_certificate(program, certificate, lambda: None)
