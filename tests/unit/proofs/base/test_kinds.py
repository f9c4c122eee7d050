"""What every kind of proof has to offer."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest

import threadwise.proofs
from threadwise.proofs.base.kind import Kind
from threadwise.proofs.base.registry import KINDS, kind_named

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
