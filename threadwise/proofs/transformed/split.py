"""The checker of proofs about a program whose locations are told apart.

Obligations, for a certificate C:

    (1) C claims what the certificate claims
    (2) C proves it for the split program

The split program is computed here, from the program of record (`threadwise.transforms.split`,
which says why it has the same runs).
"""

from __future__ import annotations

from collections.abc import Callable

from threadwise.core.errors import Unsupported
from threadwise.ir.program import Program
from threadwise.proofs.base.answer import CheckedProof, Refuted
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.toolbox.features import ALL, refuse_others
from threadwise.proofs.transformed.certificate import SplitCertificate
from threadwise.proofs.transformed.changed import by_origin, claims
from threadwise.transforms.split import split

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
    from threadwise.proofs.base.registry import check_certificate

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
