"""The entrance to the certificate checkers: one case per kind of certificate."""

from __future__ import annotations

from collections.abc import Callable

from threadwise.evidence.certificate import Certificate
from threadwise.evidence.check_state_set import CheckedProof, check_state_set
from threadwise.ir.program import Program


def check_certificate(
    program: Program, certificate: Certificate, tick: Callable[[], object]
) -> CheckedProof:
    """Check a certificate; raises Refuted. `tick` is called often, and may raise to stop."""
    return check_state_set(program, certificate, tick)
