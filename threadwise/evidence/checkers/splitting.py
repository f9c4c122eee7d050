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
from threadwise.evidence.checkers.changed import by_origin, claims
from threadwise.evidence.features import ALL, refuse_others
from threadwise.evidence.proof import CheckedProof, Refuted
from threadwise.ir.program import Program
from threadwise.ir.splitting import split

TREATS = ALL
"""The features of programs that this checker treats."""


def check_split(
    program: Program,
    certificate: SplitCertificate,
    tick: Callable[[], object],
    *,
    second_solver: bool = False,
) -> CheckedProof:
    """Check a certificate; raises Refuted."""
    from threadwise.evidence.check import check_certificate

    claims(program, certificate)  # (1)
    refuse_others(program, TREATS, "split locations")
    if not isinstance(certificate.inner, RepresentativesCertificate):
        raise Refuted("a proof about split locations that is not by formulas")
    try:
        divided = split(program)
    except Unsupported as error:
        raise Refuted(f"this cannot be split: {error}") from error
    proof = check_certificate(  # (2)
        divided.program, certificate.inner, tick, second_solver=second_solver
    )
    return by_origin(proof, divided.program, divided.origins)
