"""What the steps of a certificate keep, and which may follow which.

    Forget      (1) the certificate claims absence of races and failures only: projection preserves
                those
    Presume     the certificate claims absence of races only
    Merge, Own  (1)
    Reduce      the certificate claims absence of failures only
    Follow      (2) the certificate claims no absence of deadlocks: following does not preserve
                them
                (3) the inner proof is by formulas, and about no other change
    Parametrise (1), (4) the inner proof is by formulas, equations or representatives of threads
                that are alike
    SplitLocations, Tally
                (3)
    Account     (5) a parametric abstraction follows
    Interrupt   (6) the last step; the certificate claims absence of failures, by formulas

(7) Of the passes, the one that resolves memory keeps races and failures only.
(8) After projection, presumption, merging, ghosts and reduction a program is as any other: it may
    be simplified again, and be changed further. Each of these happens at most once, in this order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from threadwise.ir.properties import DeadlockProperty, FailureProperty, Property, RaceProperty
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.counting.certificate import CountingCertificate
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.proofs.transformed.certificate import (
    RESOLVED,
    Account,
    Follow,
    Forget,
    Interrupt,
    Merge,
    Own,
    Parametrise,
    Presume,
    Reduce,
    Simplify,
    SplitLocations,
    Step,
    Tally,
    TransformedCertificate,
)


def _check_accounting(steps: Sequence[Step], others: Sequence[Step]) -> None:
    """(5): raises Refuted unless a parametric abstraction follows accounts."""
    accounting = [step for step in others if isinstance(step, Account)]
    if not accounting:
        return
    if (
        len(others) != 2
        or others[0] is not accounting[0]
        or not isinstance(others[1], Parametrise)
    ):
        raise Refuted("accounts that no parametric abstraction follows")
    if steps[-2] is not others[0]:
        raise Refuted("a change of a changed program")


def _check_order_after(
    certificate: TransformedCertificate, first: Step, claimed: Sequence[Property]
) -> None:
    """(8): raises Refuted unless steps may follow one after which a program is as any other."""
    steps = certificate.steps
    rest = steps[steps.index(first) + 1 :]
    kinds: tuple[type[Step], ...] = _PLAIN
    later = kinds[kinds.index(type(first)) + 1 :]
    if any(isinstance(step, _PLAIN) and not isinstance(step, later) for step in rest):
        raise Refuted("a change of a changed program")
    check_order(replace(certificate, steps=steps[: -len(rest)]), claimed)
    check_order(replace(certificate, steps=rest), claimed)


def _check_one_kind(step: Step, claimed: Sequence[Property]) -> None:
    """Raises Refuted if a step keeps races only, or failures, and something else is claimed."""
    if isinstance(step, Presume) and not all(isinstance(p, RaceProperty) for p in claimed):
        raise Refuted("undefined behaviour may be assumed not to happen for races only")
    if isinstance(step, Reduce) and not all(isinstance(p, FailureProperty) for p in claimed):
        raise Refuted("whole critical sections keep failures only")


def check_order(certificate: TransformedCertificate, claimed: Sequence[Property]) -> None:
    """Raises Refuted unless the steps preserve what is claimed and can be combined."""
    steps = certificate.steps
    others = [step for step in steps if not isinstance(step, Simplify)]
    if Simplify(RESOLVED) in certificate.steps and not all(  # (7)
        isinstance(checked, RaceProperty | FailureProperty) for checked in claimed
    ):
        raise Refuted("memory as variables keeps races and failures only")
    formulas = isinstance(certificate.inner, RepresentativesCertificate)
    if others and isinstance(others[0], _PLAIN) and steps[-1] is not others[0]:
        _check_order_after(certificate, others[0], claimed)
        return
    if sum(isinstance(step, Interrupt) for step in others) > 1:
        raise Refuted("a change of a changed program")
    if others and isinstance(others[-1], Interrupt):  # (6)
        if certificate.steps[-1] is not others[-1] or not formulas:
            raise Refuted("an interrupted program that is changed, or a proof not by formulas")
        if not all(isinstance(checked, FailureProperty) for checked in claimed):
            raise Refuted("interrupting threads keeps failures only")
        check_order(replace(certificate, steps=certificate.steps[:-1]), claimed)
        return
    if any(isinstance(step, Interrupt) for step in others):
        raise Refuted("a change of a changed program")
    _check_accounting(certificate.steps, others)
    others = [step for step in others if not isinstance(step, Account)]
    if len(others) > 1 or (others and certificate.steps[-1] is not others[0]):
        raise Refuted("a change of a changed program")
    if isinstance(certificate.inner, TransformedCertificate):
        raise Refuted("a proof about a changed program within another")
    for step in others:
        _check_one_kind(step, claimed)
        if isinstance(step, Forget | Merge | Own | Parametrise) and not all(  # (1)
            isinstance(checked, RaceProperty | FailureProperty) for checked in claimed
        ):
            raise Refuted(f"{_DOING[type(step)]} keeps races and failures only")
        if isinstance(step, Follow) and any(  # (2)
            isinstance(checked, DeadlockProperty) for checked in claimed
        ):
            raise Refuted("following a thread does not keep deadlocks")
        if isinstance(step, Follow | SplitLocations | Tally) and not formulas:  # (3)
            raise Refuted(f"a proof about {_ABOUT[type(step)]} that is not by formulas")
        counted = isinstance(certificate.inner, CountingCertificate)
        alike = isinstance(certificate.inner, SymmetricCertificate)
        if isinstance(step, Parametrise) and not (formulas or counted or alike):  # (4)
            raise Refuted(
                "a proof about a parametric program that is not by formulas or equations"
            )


_PLAIN = (Forget, Presume, Merge, Own, Reduce)
"""Steps after which a program is as any other, in their order."""
_DOING = {
    Forget: "forgetting data",
    Merge: "merging locations",
    Own: "signing",
    Parametrise: "parametric threads",
}
_ABOUT = {Follow: "a followed thread", SplitLocations: "split locations", Tally: "tallies"}
