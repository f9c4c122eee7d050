"""No forged certificate is accepted for a program that is not safe."""

from __future__ import annotations

import json
from functools import cache

import pytest

from tests.robustness.forgeries import MODELS, Forgery
from tests.unit.proofs.base.audited import prove
from tests.unit.semantics.running import model
from threadwise.core.errors import InputError
from threadwise.core.options import LoadOptions
from threadwise.ir.program import Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.documents import certificate_from_json, certificate_to_json
from threadwise.proofs.base.registry import check_certificate
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


@pytest.mark.parametrize("forgery", MODELS, ids=lambda forgery: f"{forgery.engine}: {forgery.lie}")
def test_a_forged_proof_of_a_model_is_refused(forgery: Forgery) -> None:
    sibling = read(forgery.sibling)
    assert violates(sibling, forgery.claimed)
    honest = proof(forgery.engine, read(forgery.text), forgery.claimed, forgery.symmetry)
    if forgery.known:
        honest = proof(forgery.engine, sibling, forgery.known, forgery.symmetry)
    data = json.loads(json.dumps(certificate_to_json(honest, LoadOptions())))
    data.update(properties=[forgery.claimed], program_hash=program_hash(sibling))
    forgery.edit(data)
    with pytest.raises((Refuted, InputError), match=forgery.why):
        check_certificate(sibling, certificate_from_json(data, "proof.json"), nothing)
