"""What the checkers of proofs about changed programs have in common.

Such a certificate has a proof, `inner`, about a program that its checker computes from the program
of record.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.ir.program import EdgeId, Program
from threadwise.ir.properties import Property
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.transformed.certificate import (
    FollowingCertificate,
    ForgettingCertificate,
    SplitCertificate,
)

Changed = ForgettingCertificate | FollowingCertificate | SplitCertificate


def claims(program: Program, certificate: Changed) -> Sequence[Property]:
    """What a certificate claims, which its inner one has to claim, too; raises Refuted."""
    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    if certificate.properties != certificate.inner.properties:
        raise Refuted("the inner certificate claims something else")
    return claimed_properties(program, certificate.properties)


def by_origin(proof: CheckedProof, changed: Program, origins: Sequence[EdgeId]) -> CheckedProof:
    """The inner proof, by the edges of the original that the edges it is about are of."""
    reached = {
        origin
        for edge, origin in zip(changed.edges, origins, strict=True)
        if edge.id in proof.taken_edges or edge.source in proof.visited_locations
    }
    return CheckedProof(proof.properties, frozenset(reached), frozenset())
