"""The entrance to the certificate checkers: one case per kind of certificate.

A checker is loaded when the first certificate of its kind is checked: a run needs one of them, and
start-up time counts.
"""

from __future__ import annotations

from collections.abc import Callable

from threadwise.evidence.certificate import (
    Certificate,
    CountingCertificate,
    FollowingCertificate,
    ForgettingCertificate,
    FrontierCertificate,
    InterleavingsCertificate,
    LocksetCertificate,
    PersistentCertificate,
    PushdownCertificate,
    ReductionCertificate,
    RepresentativesCertificate,
    SplitCertificate,
    StateSetCertificate,
    SummaryCertificate,
    SymmetricCertificate,
    ThreadModularCertificate,
)
from threadwise.evidence.formulas import FormulaCertificate
from threadwise.evidence.proof import CheckedProof, Refuted
from threadwise.ir.program import Program
from threadwise.semantics.evaluate import Undefined


def check_certificate(
    program: Program,
    certificate: Certificate,
    tick: Callable[[], object],
    *,
    second_solver: bool = False,
) -> CheckedProof:
    """Check a certificate; raises Refuted. `tick` is called often, and may raise to stop.

    With `second_solver`, formulas are discharged by two solvers, and both must agree.
    """
    try:
        return _check(program, certificate, tick, second_solver=second_solver)
    except Undefined as error:
        raise Refuted(f"it lists a state in which a step has no meaning: {error}") from error


def _check(  # noqa: C901, PLR0911 - a case per kind
    program: Program,
    certificate: Certificate,
    tick: Callable[[], object],
    *,
    second_solver: bool,
) -> CheckedProof:
    match certificate:
        case StateSetCertificate():
            from threadwise.evidence.checkers.state_set import check_state_set

            return check_state_set(program, certificate, tick)
        case PersistentCertificate():
            from threadwise.evidence.checkers.persistent import check_persistent

            return check_persistent(program, certificate, tick)
        case LocksetCertificate():
            from threadwise.evidence.checkers.locksets import check_locksets

            return check_locksets(program, certificate, tick)
        case ForgettingCertificate():
            from threadwise.evidence.checkers.forgetting import check_forgetting

            return check_forgetting(program, certificate, tick, second_solver=second_solver)
        case FollowingCertificate():
            from threadwise.evidence.checkers.following import check_following

            return check_following(program, certificate, tick, second_solver=second_solver)
        case SplitCertificate():
            from threadwise.evidence.checkers.splitting import check_split

            return check_split(program, certificate, tick, second_solver=second_solver)
        case ThreadModularCertificate():
            from threadwise.evidence.checkers.thread_modular import check_thread_modular

            return check_thread_modular(program, certificate, tick)
        case PushdownCertificate():
            from threadwise.evidence.checkers.pushdown import check_pushdown

            return check_pushdown(program, certificate, tick)
        case FrontierCertificate():
            from threadwise.evidence.checkers.frontier import check_frontier

            return check_frontier(program, certificate, tick)
        case SymmetricCertificate():
            from threadwise.evidence.checkers.symmetric import check_symmetric

            return check_symmetric(program, certificate, tick)
        case ReductionCertificate():
            from threadwise.evidence.checkers.reduction import check_reduction

            return check_reduction(program, certificate, tick)
        case SummaryCertificate():
            from threadwise.evidence.checkers.summaries import check_summaries

            return check_summaries(program, certificate, tick)
        case CountingCertificate():
            from threadwise.evidence.checkers.counting import check_counting

            return check_counting(program, certificate, tick)
        case InterleavingsCertificate():
            from threadwise.evidence.checkers.interleavings import check_interleavings

            return check_interleavings(program, certificate, tick, second=second_solver)
        case RepresentativesCertificate():
            from threadwise.evidence.checkers.representatives import check_representatives

            return check_representatives(program, certificate, tick, second=second_solver)
        case FormulaCertificate():
            from threadwise.evidence.checkers.formulas import check_formulas

            return check_formulas(program, certificate, tick)
