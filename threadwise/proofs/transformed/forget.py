"""The checker of proofs about a program that has forgotten some of its data.

Obligations, for names N and a certificate C:

    (1) the certificate claims races and failures only: those are kept by forgetting
    (2) C proves them for the program that has forgotten N

The program that has forgotten is computed here, from the program of record
(`threadwise.transforms.forget`, which says why its races and failures include those of the
original).
"""

from __future__ import annotations

from collections.abc import Callable

from threadwise.core.errors import Unsupported
from threadwise.ir.program import Program
from threadwise.ir.properties import FailureProperty, RaceProperty
from threadwise.proofs.base.answer import CheckedProof, Refuted
from threadwise.proofs.toolbox.features import ALL, refuse_others
from threadwise.proofs.transformed.certificate import ForgettingCertificate
from threadwise.proofs.transformed.changed import claims
from threadwise.transforms.forget import forget

TREATS = ALL
"""The features of programs that this checker treats."""


def check_forgetting(
    program: Program,
    certificate: ForgettingCertificate,
    tick: Callable[[], object],
    *,
    second_solver: bool = False,
) -> CheckedProof:
    """Check a certificate; raises Refuted."""
    from threadwise.proofs.base.registry import check_certificate

    claimed = claims(program, certificate)
    refuse_others(program, TREATS, "forgetting")
    if not all(isinstance(checked, RaceProperty | FailureProperty) for checked in claimed):  # (1)
        raise Refuted("forgetting data keeps races and failures only")
    if isinstance(certificate.inner, ForgettingCertificate):
        raise Refuted("forgetting within forgetting")
    try:
        rest = forget(program, certificate.forgotten)
    except Unsupported as error:
        raise Refuted(f"this cannot be forgotten: {error}") from error
    return check_certificate(rest, certificate.inner, tick, second_solver=second_solver)  # (2)
