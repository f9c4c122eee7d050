"""No forged certificate is accepted for a program that is not safe."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from functools import cache

import pytest

from tests.every_engine import loaded
from tests.robustness.forgeries import MODELS, Forgery
from tests.robustness.forgeries_in_c import C
from tests.robustness.forgeries_of_choices import CHOICES
from tests.robustness.forgeries_of_steps import STEPS
from tests.unit.proofs.base.audited import prove
from tests.unit.semantics.running import model
from threadwise.core.errors import InputError, Unsupported
from threadwise.core.load_options import LoadOptions
from threadwise.driver.loading import Input
from threadwise.engines.api import Task, Violated
from threadwise.engines.registry import ENGINES
from threadwise.ir.program import Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted, claimed_properties
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.documents import certificate_from_json, certificate_to_json
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.transformed.certificate import (
    Simplify,
    TransformedCertificate,
    behind,
)
from threadwise.proofs.transformed.steps import programs_after
from threadwise.semantics.oracle import explore

DEPTH = 3


def nothing() -> None:
    """Called again and again by checkers."""


@cache
def proof(engine: str, program: Program, claimed: str, symmetry: bool) -> Certificate:
    """What an engine proves of a safe program."""
    found = prove(program, engine, claimed, symmetry=symmetry)
    assert claimed in check_certificate(program, found, nothing).properties
    return found


@cache
def read(text: str) -> Program:
    """A model."""
    return model(text)


def violates(program: Program, name: str) -> bool:
    """Whether two threads of each kind violate a property."""
    free = [template.name for template in program.templates if template.count is None]
    instance = program.with_counts(dict.fromkeys(free, 2))
    wanted = [checked for checked in instance.properties if checked.name == name]
    return name in explore(instance, wanted, DEPTH).violated


def forged(forgery: Forgery, honest: Certificate, sibling: Program) -> Certificate:
    """The edited proof, with the hashes of the sibling."""
    data = json.loads(json.dumps(certificate_to_json(honest, LoadOptions())))
    data["properties"] = [forgery.claimed]
    forgery.edit(data)
    data["program_hash"] = data["inner_hash"] = program_hash(sibling)
    found = certificate_from_json(data, "proof.json")
    if isinstance(found, TransformedCertificate):
        last = sibling
        with suppress(Refuted, Unsupported):
            claimed = claimed_properties(sibling, found.properties)
            for after in programs_after(sibling, found.steps, claimed, nothing):
                last = after.program
        found = replace(found, inner=replace(found.inner, program_hash=program_hash(last)))
    return found


REFUSED = (Refuted, InputError, Unsupported)


def name_of(forgery: Forgery) -> str:
    """What a test is called."""
    return f"{forgery.engine}: {forgery.lie}"


@pytest.mark.parametrize("forgery", [*MODELS, *STEPS, *CHOICES], ids=name_of)
def test_a_forged_proof_of_a_model_is_refused(forgery: Forgery) -> None:
    sibling = read(forgery.sibling)
    assert violates(sibling, forgery.claimed)
    honest = proof(forgery.engine, read(forgery.text), forgery.claimed, forgery.symmetry)
    if forgery.known:
        honest = proof(forgery.engine, sibling, forgery.known, forgery.symmetry)
    with pytest.raises(REFUSED, match=forgery.why):
        check_certificate(sibling, forged(forgery, honest, sibling), nothing)


# -- C -------------------------------------------------------------------------------------------


@cache
def read_c(text: str) -> Input:
    """A program in C, and how it is simplified."""
    return loaded(text)


@cache
def proof_in_c(engine: str, text: str, claimed: str) -> Certificate:
    """What an engine proves of a C program, as a proof about the program of record."""
    found = read_c(text)
    assert found.simpler is not None
    inner = prove(found.worked_on, engine, claimed)
    about = program_hash(found.program)
    whole = behind(tuple(map(Simplify, found.simpler.names)), about, inner)
    assert claimed in check_certificate(found.program, whole, nothing).properties
    return whole


@cache
def is_violated(text: str, claimed: str) -> bool:
    """Whether a search finds a violation."""
    program = read_c(text).worked_on
    wanted = tuple(checked for checked in program.properties if checked.name == claimed)
    findings = ENGINES["explicit"].create().run(Task(program, wanted))
    return any(isinstance(finding, Violated) for finding in findings)


@pytest.mark.parametrize("forgery", C, ids=name_of)
def test_a_forged_proof_of_a_c_program_is_refused(forgery: Forgery) -> None:
    assert is_violated(forgery.sibling, forgery.claimed)
    honest = proof_in_c(forgery.engine, forgery.text, forgery.claimed)
    if forgery.known:
        honest = proof_in_c(forgery.engine, forgery.sibling, forgery.known)
    sibling = read_c(forgery.sibling).program
    with pytest.raises(REFUSED, match=forgery.why):
        check_certificate(sibling, forged(forgery, honest, sibling), nothing)
