"""The checker of proofs about a program that follows a thread with a creation index.

Obligations, for templates T₁ … T_m and a certificate C:

    (1) the certificate claims no deadlock: those are not kept by following
    (2) C proves what is claimed for the program that follows a thread of each T

The program that follows is computed here, from the program of record
(`threadwise.transforms.follow`, which says why it goes wrong wherever the original does, and which
refuses pools that are not used as pools). C also excludes its limits, hence the claims about
arguments hold.
"""

from __future__ import annotations

from collections.abc import Callable

from threadwise.core.errors import Unsupported
from threadwise.ir.program import Program
from threadwise.ir.properties import DeadlockProperty
from threadwise.proofs.base.answer import CheckedProof, Refuted
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.toolbox.features import ALL, refuse_others
from threadwise.proofs.transformed.certificate import FollowingCertificate
from threadwise.proofs.transformed.changed import by_origin, claims
from threadwise.transforms.follow import follow_all

TREATS = ALL
"""The features of programs that this checker treats."""


def check_following(
    program: Program,
    certificate: FollowingCertificate,
    tick: Callable[[], object],
    *,
    second_solver: bool = False,
) -> CheckedProof:
    """Check a certificate; raises Refuted."""
    from threadwise.proofs.base.registry import check_certificate

    claimed = claims(program, certificate)
    refuse_others(program, TREATS, "following")
    if any(isinstance(checked, DeadlockProperty) for checked in claimed):  # (1)
        raise Refuted("following a thread does not keep deadlocks")
    if not isinstance(certificate.inner, RepresentativesCertificate):
        raise Refuted("a proof about a followed thread that is not by formulas")
    try:
        followed = follow_all(program, certificate.followings)
    except Unsupported as error:
        raise Refuted(f"this cannot be followed: {error}") from error
    proof = check_certificate(  # (2)
        followed.program, certificate.inner, tick, second_solver=second_solver
    )
    return by_origin(proof, followed.program, followed.origins)
