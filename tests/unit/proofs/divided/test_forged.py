"""Forged proofs that divide a race property: none is accepted for a program that races."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.unit.proofs.base.audited import prove
from tests.unit.semantics.running import model
from threadwise.core.errors import InputError
from threadwise.core.load_options import LoadOptions
from threadwise.engines import dividing
from threadwise.ir.program import Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.documents import certificate_from_json, certificate_to_json
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.divided.certificate import DividedCertificate, Part, part_of
from threadwise.proofs.transformed.certificate import Forget, TransformedCertificate

TEXT = """
mutex m; int[0..3] x; int[0..3] y; bool busy; bool other;
thread t[{count}] {{
    bool mine;
    acquire(m); x = 1; other = !other; release(m);
    acquire(m); mine = !busy; {claim} release(m);
    if (mine) {{ {use} y = 2; acquire(m); busy = false; release(m); }}
}}
"""
CLAIM = "if (mine) busy = true;"
SAFE = model(TEXT.format(count=2, claim=CLAIM, use=""))
RACY = model(TEXT.format(count=2, claim="", use=""))
"""Nobody sets the flag: `y` races, and nothing else."""


def nothing() -> None:
    pass


def divided_proof(program: Program) -> DividedCertificate:
    """What `tar` finds, although the program is small."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dividing, "SMALL", 0)
        certificate = prove(program, "tar", "races")
    assert isinstance(certificate, DividedCertificate)
    return certificate


PROOF = divided_proof(SAFE)
LOCKED, SLICED = PROOF.parts
"""What locks protect, and `y`, which the flag does."""


def about(part: Part, program: Program, *variables: str) -> Part:
    """The same proof, said to be about other variables or another program."""
    named = variables or part.variables
    proof = replace(part.proof, program_hash=program_hash(part_of(program, "races", named)))
    return Part(named, proof)


def divided(program: Program, *parts: Part) -> DividedCertificate:
    return DividedCertificate(program_hash(program), ("races",), parts)


def forgetting(part: Part, change: Callable[[tuple[str, ...]], tuple[str, ...]]) -> Part:
    """A slice that has forgotten other variables."""
    proof = part.proof
    assert isinstance(proof, TransformedCertificate)
    steps = tuple(
        Forget(change(step.forgotten)) if isinstance(step, Forget) else step
        for step in proof.steps
    )
    return Part(part.variables, replace(proof, steps=steps))


def test_what_tar_finds_is_accepted() -> None:
    assert check_certificate(SAFE, PROOF, nothing).properties == ("races",)
    assert SLICED.variables == ("m", "y")
    assert isinstance(SLICED.proof, TransformedCertificate)
    assert "x" in LOCKED.variables


EVERYTHING = (*LOCKED.variables, *SLICED.variables)

FORGERIES: dict[str, Callable[[], tuple[Program, DividedCertificate]]] = {
    "no parts": lambda: (SAFE, divided(SAFE)),
    "no part for what the flag protects": lambda: (SAFE, divided(SAFE, LOCKED)),
    "no part for what locks protect": lambda: (SAFE, divided(SAFE, SLICED)),
    "the same part twice": lambda: (SAFE, divided(SAFE, LOCKED, LOCKED)),
    "a variable left out of a part": lambda: (
        SAFE,
        divided(SAFE, about(LOCKED, SAFE, *LOCKED.variables[1:]), SLICED),
    ),
    "the racy variable in the part of the locks": lambda: (
        RACY,
        divided(RACY, about(LOCKED, RACY, *EVERYTHING)),
    ),
    "all variables in the part of the slice": lambda: (
        RACY,
        divided(RACY, about(SLICED, RACY, *EVERYTHING)),
    ),
    "the parts the other way round": lambda: (
        SAFE,
        divided(
            SAFE,
            Part(LOCKED.variables, SLICED.proof),
            Part(SLICED.variables, LOCKED.proof),
        ),
    ),
    "the parts the other way round, renamed": lambda: (
        RACY,
        divided(
            RACY, about(LOCKED, RACY, *SLICED.variables), about(SLICED, RACY, *LOCKED.variables)
        ),
    ),
    "the proof of another program": lambda: (RACY, PROOF),
    "the proof of another program, renamed": lambda: (
        RACY,
        divided(RACY, about(LOCKED, RACY), about(SLICED, RACY)),
    ),
    "the part of another program, renamed inside, too": lambda: (
        RACY,
        divided(RACY, about(LOCKED, RACY), _renamed_inside(about(SLICED, RACY))),
    ),
    "a slice without its flag": lambda: (
        SAFE,
        divided(SAFE, LOCKED, forgetting(SLICED, lambda names: (*names, "busy"))),
    ),
    "a slice without the variable": lambda: (
        RACY,
        divided(RACY, about(LOCKED, RACY), forgetting(about(SLICED, RACY), lambda n: (*n, "y"))),
    ),
    "a slice that has forgotten less": lambda: (
        RACY,
        divided(RACY, about(LOCKED, RACY), forgetting(about(SLICED, RACY), lambda n: n[1:])),
    ),
    "a slice without the steps to it": lambda: (
        SAFE,
        divided(SAFE, LOCKED, Part(SLICED.variables, _inner(SLICED))),
    ),
    "a part that claims nothing": lambda: (
        RACY,
        divided(
            RACY,
            about(LOCKED, RACY),
            Part(("m", "y"), replace(about(SLICED, RACY).proof, properties=())),
        ),
    ),
    "another property": lambda: (
        SAFE,
        replace(PROOF, properties=("deadlocks",)),
    ),
    "two properties": lambda: (SAFE, replace(PROOF, properties=("races", "deadlocks"))),
    "more threads": lambda: (_more(), divided(_more(), *PROOF.parts)),
    "a division inside that leaves out a variable": lambda: (
        RACY,
        divided(RACY, Part(EVERYTHING, _divided_inside())),
    ),
    "a variable that is none": lambda: (
        RACY,
        divided(RACY, about(LOCKED, RACY), Part(("nowhere",), SLICED.proof)),
    ),
}


def _renamed_inside(part: Part) -> Part:
    """The inner proof is said to be about what the steps make of the racy program."""
    from threadwise.proofs.transformed.steps import programs_after

    proof = part.proof
    assert isinstance(proof, TransformedCertificate)
    racy = part_of(RACY, "races", part.variables)
    *_, last = programs_after(racy, proof.steps, racy.properties)
    inner = replace(proof.inner, program_hash=program_hash(last.program))
    return Part(part.variables, replace(proof, inner=inner))


def _inner(part: Part) -> TransformedCertificate:
    assert isinstance(part.proof, TransformedCertificate)
    hashed = program_hash(part_of(SAFE, "races", part.variables))
    return replace(part.proof, steps=(), program_hash=hashed)


def _more() -> Program:
    return model(TEXT.format(count=3, claim=CLAIM, use=""))


def _divided_inside() -> DividedCertificate:
    part = part_of(RACY, "races", EVERYTHING)
    return DividedCertificate(program_hash(part), ("races",), (about(LOCKED, RACY),))


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_proof_is_refused(name: str) -> None:
    program, forged = FORGERIES[name]()
    with pytest.raises(Refuted):
        check_certificate(program, forged, nothing)


def test_a_program_without_shared_variables_needs_a_part_as_well() -> None:
    program = model("thread t[2] { int[0..3] x; x = 1; }")
    with pytest.raises(Refuted, match="no parts"):
        check_certificate(program, divided(program), nothing)


FILES: dict[str, Callable[[dict[str, object]], object]] = {
    "a part of another kind": lambda row: row.update(kind="state-set"),
    "a part of no kind": lambda row: row.update(kind="trust me"),
    "a part that is divided again": lambda row: row.update(kind="divided"),
    "variables that are no names": lambda row: row.update(variables=[1]),
    "a part without variables": lambda row: row.pop("variables"),
    "a part without a hash": lambda row: row.pop("hash"),
    "a part with another hash": lambda row: row.update(hash="0" * 64),
    "a part about all variables": lambda row: row.update(variables=list(EVERYTHING)),
}


@pytest.mark.parametrize("name", FILES)
def test_a_forged_file_is_refused(name: str) -> None:
    document = json.loads(json.dumps(certificate_to_json(PROOF, LoadOptions())))
    parts = _rows(document)
    FILES[name](parts[-1])
    with pytest.raises((Refuted, InputError)):
        check_certificate(SAFE, certificate_from_json(document, "proof.json"), nothing)


def _rows(document: dict[str, object]) -> list[dict[str, object]]:
    """The parts in a document, wherever its envelope has them."""
    waiting: list[object] = [document]
    for value in waiting:
        if isinstance(value, dict):
            if isinstance(value.get("divided"), list):
                rows: list[dict[str, object]] = value["divided"]
                return rows
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    raise AssertionError("no parts")
