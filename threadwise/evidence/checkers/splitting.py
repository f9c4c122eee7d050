"""The checker of proofs about a program whose locations are told apart.

Obligations, for a certificate C:

    (1) C claims what the certificate claims
    (2) C proves it for the split program

The split program is computed here, from the program of record (`threadwise.ir.splitting`, which
says why it has the same runs).
"""

from __future__ import annotations

from collections.abc import Callable

from threadwise.core.errors import Unsupported
from threadwise.evidence.certificate import RepresentativesCertificate, SplitCertificate
from threadwise.evidence.proof import CheckedProof, Refuted, claimed_properties
from threadwise.ir.printer import program_hash
from threadwise.ir.program import Program
from threadwise.ir.splitting import split


def check_split(
    program: Program,
    certificate: SplitCertificate,
    tick: Callable[[], object],
    *,
    second_solver: bool = False,
) -> CheckedProof:
    """Check a certificate; raises Refuted."""
    from threadwise.evidence.check import check_certificate

    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    claimed_properties(program, certificate.properties)
    if certificate.properties != certificate.inner.properties:  # (1)
        raise Refuted("the inner certificate claims something else")
    if not isinstance(certificate.inner, RepresentativesCertificate):
        raise Refuted("a proof about split locations that is not by formulas")
    try:
        divided = split(program)
    except Unsupported as error:
        raise Refuted(f"this cannot be split: {error}") from error
    proof = check_certificate(  # (2)
        divided.program, certificate.inner, tick, second_solver=second_solver
    )
    reached = {
        origin
        for edge, origin in zip(divided.program.edges, divided.origins, strict=True)
        if edge.id in proof.taken_edges or edge.source in proof.visited_locations
    }
    return CheckedProof(proof.properties, frozenset(reached), frozenset())
