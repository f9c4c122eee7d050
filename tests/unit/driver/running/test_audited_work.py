"""Proofs are audited before they are told."""

from __future__ import annotations

import pytest

from tests.unit.driver.running.scripted import (
    NAMES,
    check,
    honest,
    only_defect,
    proof_of_a_violated_property,
    silent,
    wrong_proof,
)
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.running import evidence
from threadwise.ir.program import Program
from threadwise.proofs.base.answer import CheckedProof
from threadwise.proofs.base.certificate import Certificate
from threadwise.results.result import DefectKind
from threadwise.results.verdict import Verdict

pytestmark = pytest.mark.usefixtures("defects_expected")


def believe(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checker that believes everything."""

    def believed(program: Program, certificate: Certificate, *_: object, **__: object) -> object:
        return CheckedProof(certificate.properties, frozenset(), frozenset({0}))

    monkeypatch.setattr(evidence, "check_certificate", believed)


def test_a_proof_is_audited(monkeypatch: pytest.MonkeyPatch) -> None:
    _, safe = check(monkeypatch, honest).properties
    assert safe.audit is not None
    assert (safe.audit.states, safe.audit.complete) == (4, True)


def test_unless_nobody_wants_that(monkeypatch: pytest.MonkeyPatch) -> None:
    believe(monkeypatch)
    options = CheckOptions(properties=NAMES, audit=False)
    _, safe = check(monkeypatch, wrong_proof, options=options).properties
    assert (safe.verdict, safe.audit) == (Verdict.SAFE, None)


def test_a_proof_that_a_run_refutes_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    believe(monkeypatch)
    result = check(monkeypatch, wrong_proof, honest)
    defect = only_defect(result)
    assert defect.kind is DefectKind.PROOF
    assert "a run refutes: it does not list the state" in defect.message
    assert [p.engine for p in result.properties] == ["scripted-1", "scripted-1"]


def test_a_run_that_violates_the_property_is_a_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    believe(monkeypatch)
    result = check(monkeypatch, proof_of_a_violated_property, silent)
    small, fine = result.properties
    assert (small.verdict, small.engine) == (Verdict.UNSAFE, "audit")
    assert small.trace is not None
    assert fine.verdict is Verdict.UNKNOWN
    assert "a run violates `small`" in only_defect(result).message
