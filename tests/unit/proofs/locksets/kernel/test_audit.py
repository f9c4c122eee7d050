"""What the kernel claims is tested in runs: silent about true claims, not about false ones."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.unit.proofs.locksets.kernel.pairs_of_programs import EXAMPLES, LOCK, UNLOCK, two
from tests.unit.proofs.locksets.kernel.proving import certificate_of, nothing, program_of
from tests.unit.proofs.locksets.kernel.test_false_claims import (
    CHANGES,
    LOCKED,
    Change,
    with_claim,
)
from threadwise.ir.program import Program
from threadwise.proofs.base.answer import CheckedProof
from threadwise.proofs.base.audit import Audit, Broken
from threadwise.proofs.base.auditing import audit_certificate
from threadwise.proofs.locksets.kernel.claims import Handle
from threadwise.proofs.locksets.kernel.found import KernelFound
from threadwise.proofs.locksets.kernel_first import check_locksets

HANDLED = two(f"{LOCK} x++; {UNLOCK}", after="x++;")
BROKEN_BY = {
    "lock_not_held": "kernel: held",
    "lock_not_entered": "kernel: entered",
    "other_count": "kernel: counts",
    "over_before_join": "kernel: over",
    "points_to_less": r"kernel: .* leads to",
    "location_left_out": "kernel: nobody gets there",
    "owned_after_publishing": "kernel: owned",
    "value_of_a_variable": "kernel: facts",
    "all_frozen": "kernel: frozen",
    "other_constants": "kernel: x .* holds 1",
    "two_alone": "kernel: two threads of f run",
}
"""What a run says about false claims of each kind."""


def proof_of(program: Program) -> tuple[CheckedProof, KernelFound]:
    proof = check_locksets(program, certificate_of(program), nothing)
    assert isinstance(proof.found, KernelFound)
    return proof, proof.found


def audited(program: Program, found: KernelFound) -> Audit:
    proof, _ = proof_of(program)
    forged = replace(proof, found=found)
    return audit_certificate(program, certificate_of(program), forged, nothing, states=300)


@pytest.mark.parametrize("name", EXAMPLES)
def test_true_claims_hold_in_runs(name: str) -> None:
    program = program_of(EXAMPLES[name].safe)
    proof = check_locksets(program, certificate_of(program), nothing)
    audit = audit_certificate(program, certificate_of(program), proof, nothing)
    if proof.found is not None:
        assert audit.evaluated is not None
        assert audit.evaluated["kernel: memory"] > 0


@pytest.mark.parametrize(("change", "text"), CHANGES)
def test_false_claims_are_broken_by_runs(change: Change, text: str) -> None:
    """Some of each kind, that is: no run may get to the place in the way that would show it."""
    program = program_of(text)
    _, found = proof_of(program)
    expected = re.compile(BROKEN_BY[change.__name__])
    for claims in change(program, found.claims):
        try:
            audited(program, found._replace(claims=claims))
        except Broken as broken:
            if expected.search(str(broken)):
                return
    raise AssertionError("no run says so")


def test_a_handle_of_another_thread() -> None:
    program = program_of(HANDLED)
    _, found = proof_of(program)
    handles = {
        (location, claim)
        for location, cases in found.claims.cases.items()
        for case in cases
        for claim in case
        if isinstance(claim, Handle)
    }
    edges = sorted({claim.edge for _, claim in handles})
    assert len(edges) == 2
    location, claim = max(handles, key=lambda each: (each[0], each[1].edge))
    other = replace(claim, edge=edges[0])
    with pytest.raises(Broken, match="kernel: handles"):
        audited(program, found._replace(claims=with_claim(found.claims, location, other)))


def test_an_edge_that_nobody_takes_is_taken() -> None:
    program = program_of(LOCKED)
    _, found = proof_of(program)
    edge = min(e for e in found.taken if program.edges[e].operation is not None)
    with pytest.raises(Broken, match=f"kernel: edge {edge} is taken"):
        audited(program, found._replace(taken=found.taken - {edge}))


def test_a_mutex_that_is_taken_away() -> None:
    program = program_of(two(f"{LOCK} x++; {UNLOCK}", meanwhile="m = n;"))
    _, found = proof_of(program)
    assert found.claims.spoilt
    with pytest.raises(Broken, match="kernel: spoilt"):
        audited(program, found._replace(claims=replace(found.claims, spoilt=frozenset())))
