"""What the audit of lengths of interleavings notices."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.proofs.base.audited_runs import broken, watched
from tests.unit.semantics.running import model
from threadwise.backends.smt.interleavings.goals import Goals
from threadwise.backends.smt.logic import Term
from threadwise.engines.api import Proved, Task
from threadwise.engines.bounded.bounded_engine import BoundedEngine
from threadwise.ir.program import Program
from threadwise.ir.properties import Property
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.interleavings.certificate import InterleavingsCertificate
from threadwise.proofs.interleavings.violations import Violations

LOCKED = """
mutex m;
int x;
thread t[2] { int r; acquire(m); r = x; x = r + 1; release(m); }
thread check { int n; acquire(m); n = x; release(m); assert(n <= 2); }
race_free x;
"""
LOOP = """
int x;
void add(int by) { x = x + by; }
thread t[2] { int i; for (i = 0; i < 2; i = i + 1) { add(1); } assert(x > 0); }
"""


def proof(text: str) -> tuple[Program, InterleavingsCertificate]:
    program = model(text)
    properties = tuple(p for p in program.properties if p.default)
    for finding in BoundedEngine().run(Task(program, properties)):
        if isinstance(finding, Proved):
            assert isinstance(finding.certificate, InterleavingsCertificate)
            return program, finding.certificate
    raise AssertionError("no proof")


@pytest.mark.parametrize("text", [LOCKED, LOOP])
def test_no_run_is_longer(text: str) -> None:
    program, certificate = proof(text)
    evaluated = watched(program, certificate)
    assert len(evaluated) == len(certificate.lengths) + 1
    assert min(evaluated.values()) > 50


@pytest.mark.parametrize("text", [LOCKED, LOOP])
def test_shorter_lengths_are_broken(text: str) -> None:
    program, certificate = proof(text)
    for thread, length in enumerate(certificate.lengths):
        lengths = list(certificate.lengths)
        lengths[thread] = length // 2
        found = broken(program, replace(certificate, lengths=tuple(lengths)))
        assert f"takes more than {length // 2} steps" in found


UNSAFE = """
int x;
thread t[2] { int r; r = x; x = r + 1; done: skip; }
thread check { await(x > 0) {} assert(x == 2); }
"""


def test_a_fault_of_the_encoding_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What violates a property is encoded as nothing: first by the search, then by its checker."""

    def nothing(self: Goals, checked: Property) -> Term:
        return self.logic.false

    monkeypatch.setattr(Goals, "violation", nothing)
    program, certificate = proof(UNSAFE)
    with pytest.raises(Refuted, match="violates"):
        check_certificate(program, certificate, lambda: None)
    monkeypatch.setattr(Violations, "of", nothing)
    assert check_certificate(program, certificate, lambda: None).properties
    assert broken(program, certificate).endswith("is violated")
