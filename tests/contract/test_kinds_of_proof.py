"""What every kind of proof has to offer; one that is new inherits all of it.

Its parts take what they are given. A proof is accepted, survives a file, is explained and passes
its audit. It is refused for another program, and for one of the same shape that is not safe.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest

import threadwise.proofs
from tests.contract.samples import CLAIMS, Claim
from tests.unit.proofs.base.audited import accepted
from threadwise.core.errors import BudgetExhausted
from threadwise.core.load_options import LoadOptions
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.documents import certificate_from_json, certificate_to_json
from threadwise.proofs.base.files import certificate_lines, read_certificates
from threadwise.proofs.base.kind import Kind
from threadwise.proofs.base.registry import (
    KINDS,
    check_certificate,
    explain_proof,
    kind_named,
    summarise,
)

PARTS = {
    "check_part": ("program", "certificate", "tick"),
    "write_part": ("certificate",),
    "read_part": ("data", "program_hash", "properties"),
    "explain_part": ("program", "certificate"),
    "summarise_part": ("certificate",),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return kind_named(request.param)


@pytest.fixture
def claim(kind: Kind) -> Claim:
    assert kind.name in CLAIMS, f"tests/contract/samples.py has no proof of kind {kind.name}"
    assert CLAIMS[kind.name].certificate.kind == kind.name
    return CLAIMS[kind.name]


def certificate_class(kind: Kind) -> type:
    found = [
        value
        for value in vars(import_module(f"{kind.package}.certificate")).values()
        if getattr(value, "kind", None) == kind.name
    ]
    assert len(found) == 1
    return found[0]  # type: ignore[no-any-return]


@pytest.mark.parametrize("part", PARTS)
def test_parts_exist_and_take_what_they_are_given(kind: Kind, part: str) -> None:
    module, function = getattr(kind, part).split(":")
    parameters = signature(getattr(import_module(f"{kind.package}.{module}"), function)).parameters
    required = [name for name, p in parameters.items() if p.kind is not p.KEYWORD_ONLY]
    assert tuple(required) == PARTS[part]


def test_a_monitor_takes_what_it_is_given(kind: Kind) -> None:
    if kind.audit_part:
        module, function = kind.audit_part.split(":")
        part = getattr(import_module(f"{kind.package}.{module}"), function)
        assert tuple(signature(part).parameters) == ("program", "certificate")


def test_whether_two_solvers_can_check_it_is_said(kind: Kind) -> None:
    module, function = kind.check_part.split(":")
    check = getattr(import_module(f"{kind.package}.{module}"), function)
    assert ("second_solver" in signature(check).parameters) == kind.asks_solver


def test_certificates_say_which_kind_they_are_and_what_they_claim(kind: Kind) -> None:
    certificate = certificate_class(kind)
    assert is_dataclass(certificate)
    assert [field.name for field in fields(certificate)][:2] == ["program_hash", "properties"]


def test_a_kind_has_the_name_under_which_it_is_known() -> None:
    assert all(kind_named(name).name == name for name in KINDS)


def test_every_folder_is_a_kind() -> None:
    root = Path(threadwise.proofs.__file__).parent
    folders = {path.parent.name for path in root.glob("*/certificate.py")} - {"base"}
    assert folders == {place.split(".")[0] for place in KINDS.values()}


def test_a_kind_that_nobody_knows_is_named() -> None:
    with pytest.raises(ValueError, match="unknown kind 'guess'"):
        kind_named("guess")


# -- proofs ---------------------------------------------------------------------------------------


def test_a_proof_is_accepted_and_proves_what_it_claims(claim: Claim) -> None:
    checked = check_certificate(claim.program, claim.certificate, lambda: None)
    assert checked.properties == claim.certificate.properties
    assert set(claim.properties) <= set(checked.properties)


def test_a_proof_survives_a_file(claim: Claim) -> None:
    written = certificate_to_json(claim.certificate, LoadOptions())
    (document,) = read_certificates(certificate_lines(written), "proof.json")
    found = certificate_from_json(document.data, "proof.json")
    assert certificate_to_json(found, LoadOptions()) == written
    check_certificate(claim.program, found, lambda: None)


def test_a_proof_is_explained(claim: Claim) -> None:
    assert explain_proof(claim.program, claim.certificate)
    assert summarise(claim.certificate).words


def test_runs_find_nothing_to_object_to(claim: Claim) -> None:
    assert accepted(claim.program, claim.certificate).states


def test_a_proof_is_about_one_program(claim: Claim) -> None:
    with pytest.raises(Refuted):
        check_certificate(claim.variant, claim.certificate, lambda: None)


def test_a_proof_of_what_is_not_safe_is_refused(claim: Claim) -> None:
    """Also if it names the other program: what it claims is false there."""
    forged = replace(claim.certificate, program_hash=program_hash(claim.variant))
    with pytest.raises(Refuted):
        check_certificate(claim.variant, forged, lambda: None)


def test_a_proof_does_not_claim_more_than_it_proves(claim: Claim) -> None:
    """A property that the program does not have is not proved by naming it."""
    forged = replace(claim.certificate, properties=("no such property",))
    with pytest.raises(Refuted):
        check_certificate(claim.program, forged, lambda: None)


def test_a_checker_can_be_stopped(claim: Claim) -> None:
    def tick() -> None:
        raise BudgetExhausted("stopped")

    with pytest.raises(BudgetExhausted):
        check_certificate(claim.program, claim.certificate, tick)
