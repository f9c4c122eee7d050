"""Proofs by formulas of programs with procedures: what is accepted, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import pytest

from tests.unit.semantics.running import model
from threadwise.analyses.regions import has_calls
from threadwise.core.load_options import LoadOptions
from threadwise.driver.selection import select_properties
from threadwise.engines.api import Proved, Task
from threadwise.engines.tar.tar_engine import TarEngine
from threadwise.ir.program import EdgeId, Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.documents import certificate_from_json, certificate_to_json
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.representatives.certificate import RepresentativesCertificate

DIVING = """
mutex m;
int depth = 0;
void dive(int by) {
    depth = depth + by;
    assert(depth > 0);
    either { dive(by); } or { skip; }
}
thread diver[*] { acquire(m); dive(1); release(m); }
"""
NEXT = """
int next(int a) { int b; b = 0; b = a + 1; return b; }
thread t[*] { int x; int r; havoc x; r = next(x); assert(r == x + 1); }
"""
FORGETFUL = NEXT.replace("b = 0; b = a + 1;", "a = a - 1; b = a + 1;")
"""The parameter is not the argument any more when the procedure returns."""


@cache
def prove(text: str) -> tuple[Program, RepresentativesCertificate]:
    """A program and its proof."""
    program = model(text)
    assert has_calls(program)
    task = Task(program, select_properties(program, ["assertions"]))
    (finding,) = TarEngine().run(task)
    assert isinstance(finding, Proved)
    assert isinstance(finding.certificate, RepresentativesCertificate)
    return program, finding.certificate


def passes(program: Program, proof: RepresentativesCertificate, *, second: bool = False) -> bool:
    try:
        check_certificate(program, proof, lambda: None, second_solver=second)
    except Refuted:
        return False
    return True


@pytest.mark.parametrize("text", [DIVING, NEXT], ids=["recursion", "result"])
def test_proofs_are_accepted(text: str) -> None:
    program, proof = prove(text)
    assert passes(program, proof)
    assert passes(program, proof, second=True)


def test_proofs_come_back_from_files() -> None:
    program, proof = prove(DIVING)
    data = json.loads(json.dumps(certificate_to_json(proof, LoadOptions())))
    again = certificate_from_json(data, "proof.json")
    assert again == replace(proof, formulas=list(proof.formulas), calls=list(proof.calls))
    assert isinstance(again, RepresentativesCertificate)
    assert passes(program, again)


def test_nothing_can_be_left_out() -> None:
    """Without a location or the calls of a context, a rule leads out of the formulas."""
    program, proof = prove(DIVING)
    for locations in dict.fromkeys(item.locations for item in proof.formulas):
        fewer = [item for item in proof.formulas if item.locations != locations]
        assert not passes(program, replace(proof, formulas=fewer)), locations
    for caller, edge in dict.fromkeys((item.caller, item.call) for item in proof.calls):
        calls = [item for item in proof.calls if (item.caller, item.call) != (caller, edge)]
        assert not passes(program, replace(proof, calls=calls)), (caller, edge)


def test_formulas_must_be_strong_enough() -> None:
    """A formula that says nothing is not kept, or does not exclude the failure."""
    program, proof = prove(NEXT)
    told = [k for k, item in enumerate(proof.formulas) if item.formula != "true"]
    assert told
    for k in told:
        weak = proof.formulas[k]._replace(formula="true")
        changed = [*proof.formulas[:k], weak, *proof.formulas[k + 1 :]]
        assert not passes(program, replace(proof, formulas=changed)), proof.formulas[k]


@pytest.mark.parametrize(
    "change",
    [
        {"formula": "depth > 0"},
        {"formula": "false"},
        {"formula": "t1::nothing == 1"},
        {"caller": 99},
        {"callee": 99},
        {"call": EdgeId(0)},
        {"call": EdgeId(10_000)},
        {"template": "nobody"},
    ],
    ids=str,
)
def test_calls_must_be_calls(change: dict[str, object]) -> None:
    program, proof = prove(DIVING)
    calls = [call._replace(**change) for call in proof.calls]  # type: ignore[arg-type]  # fields
    assert not passes(program, replace(proof, calls=calls))


def test_a_caller_waits_with_its_locals_only() -> None:
    """What holds of a shared or thread-scoped variable at a call need not hold at its return."""
    _, proof = prove(NEXT)
    shared = model("int s;" + NEXT)
    (call,) = proof.calls
    for formula in ("s == 0", "true && s == s"):
        changed = replace(
            proof, program_hash=program_hash(shared), calls=[call._replace(formula=formula)]
        )
        assert not passes(shared, changed)


def test_parameters_that_are_written_are_not_remembered() -> None:
    program, proof = prove(NEXT)
    forgetful = model(FORGETFUL)
    assert len(forgetful.locations) == len(program.locations)
    assert not passes(forgetful, replace(proof, program_hash=program_hash(forgetful)))


@pytest.mark.parametrize(
    ("old", "new"),
    [("b = a + 1", "b = a + 2"), ("r == x + 1", "r == x"), ("next(x)", "next(r)")],
)
def test_proofs_of_other_programs_are_refused(old: str, new: str) -> None:
    _, proof = prove(NEXT)
    other = model(NEXT.replace(old, new))
    assert not passes(other, replace(proof, program_hash=program_hash(other)))


def test_a_context_is_of_one_procedure() -> None:
    program, proof = prove(DIVING)
    merged = [item._replace(context=0) for item in proof.formulas]
    calls = [call._replace(caller=0, callee=0) for call in proof.calls]
    assert not passes(program, replace(proof, formulas=merged, calls=calls))


def test_contexts_need_calls() -> None:
    program = model("int x; thread t { x = 1; assert(x == 1); }")
    task = Task(program, select_properties(program, ["assertions"]))
    (finding,) = TarEngine().run(task)
    assert isinstance(finding, Proved)
    proof = finding.certificate
    assert isinstance(proof, RepresentativesCertificate)
    assert passes(program, proof)
    other = [item._replace(context=1) for item in proof.formulas]
    assert not passes(program, replace(proof, formulas=other))


def test_several_representatives_of_a_program_with_calls() -> None:
    program, proof = prove(DIVING)
    assert not passes(program, replace(proof, k=2))
