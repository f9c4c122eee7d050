"""The entrance to the certificate checkers: one case per kind of certificate.

A checker is loaded when the first certificate of its kind is checked: a run needs one of them, and
start-up time counts.
"""

from __future__ import annotations

from collections.abc import Callable

from threadwise.ir.program import Program
from threadwise.proofs.base.answer import CheckedProof, Refuted
from threadwise.proofs.base.union import Certificate
from threadwise.proofs.counting.certificate import CountingCertificate
from threadwise.proofs.frontier.certificate import FrontierCertificate
from threadwise.proofs.inductive.certificate import FormulaCertificate
from threadwise.proofs.interleavings.certificate import InterleavingsCertificate
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.persistent.certificate import PersistentCertificate
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.proofs.transactions.certificate import ReductionCertificate, SummaryCertificate
from threadwise.proofs.transformed.certificate import (
    FollowingCertificate,
    ForgettingCertificate,
    SplitCertificate,
)
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
            from threadwise.proofs.state_set.check import check_state_set

            return check_state_set(program, certificate, tick)
        case PersistentCertificate():
            from threadwise.proofs.persistent.check import check_persistent

            return check_persistent(program, certificate, tick)
        case LocksetCertificate():
            from threadwise.proofs.locksets.check import check_locksets

            return check_locksets(program, certificate, tick)
        case ForgettingCertificate():
            from threadwise.proofs.transformed.forget import check_forgetting

            return check_forgetting(program, certificate, tick, second_solver=second_solver)
        case FollowingCertificate():
            from threadwise.proofs.transformed.follow import check_following

            return check_following(program, certificate, tick, second_solver=second_solver)
        case SplitCertificate():
            from threadwise.proofs.transformed.split import check_split

            return check_split(program, certificate, tick, second_solver=second_solver)
        case ThreadModularCertificate():
            from threadwise.proofs.thread_modular.check import check_thread_modular

            return check_thread_modular(program, certificate, tick)
        case PushdownCertificate():
            from threadwise.proofs.pushdown.check import check_pushdown

            return check_pushdown(program, certificate, tick)
        case FrontierCertificate():
            from threadwise.proofs.frontier.check import check_frontier

            return check_frontier(program, certificate, tick)
        case SymmetricCertificate():
            from threadwise.proofs.symmetric.check import check_symmetric

            return check_symmetric(program, certificate, tick)
        case ReductionCertificate():
            from threadwise.proofs.transactions.check_reduction import check_reduction

            return check_reduction(program, certificate, tick)
        case SummaryCertificate():
            from threadwise.proofs.transactions.check_summaries import check_summaries

            return check_summaries(program, certificate, tick)
        case CountingCertificate():
            from threadwise.proofs.counting.check import check_counting

            return check_counting(program, certificate, tick)
        case InterleavingsCertificate():
            from threadwise.proofs.interleavings.check import check_interleavings

            return check_interleavings(program, certificate, tick, second=second_solver)
        case RepresentativesCertificate():
            from threadwise.proofs.representatives.check import check_representatives

            return check_representatives(program, certificate, tick, second=second_solver)
        case FormulaCertificate():
            from threadwise.proofs.inductive.check import check_formulas

            return check_formulas(program, certificate, tick)
