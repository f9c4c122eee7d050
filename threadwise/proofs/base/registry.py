"""All kinds of proof, by name: the interface of `proofs` to the rest of the tool."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from threadwise.core.documents import shown
from threadwise.ir.program import Program
from threadwise.proofs.base.answer import CheckedProof, Refuted
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.kind import Kind
from threadwise.semantics.evaluate import Undefined

if TYPE_CHECKING:
    from threadwise.proofs.base.audit import Monitor
    from threadwise.proofs.base.explanation import ProofSummary, ThreadExplanation

KINDS = {
    "state-set": "state_set.kind:STATE_SET",
    "persistent": "persistent.kind:PERSISTENT",
    "thread-modular": "thread_modular.kind:THREAD_MODULAR",
    "pushdown": "pushdown.kind:PUSHDOWN",
    "frontier": "frontier.kind:FRONTIER",
    "symmetric": "symmetric.kind:SYMMETRIC",
    "reduction": "transactions.kind:REDUCTION",
    "summaries": "transactions.kind:SUMMARIES",
    "formulas": "inductive.kind:INDUCTIVE",
    "representatives": "representatives.kind:REPRESENTATIVES",
    "counting": "counting.kind:COUNTING",
    "interleavings": "interleavings.kind:INTERLEAVINGS",
    "locksets": "locksets.kind:LOCKSETS",
    "lock-order": "lock_order.kind:LOCK_ORDER",
    "divided": "divided.kind:DIVIDED",
    "transformed": "transformed.kind:TRANSFORMED",
}
"""The name in files, and where the kind is defined."""


@cache
def kind_named(name: str) -> Kind:
    """The kind of that name; ValueError if there is none."""
    if name not in KINDS:
        raise ValueError(f"unknown kind {shown(name)}")
    module, attribute = KINDS[name].split(":")
    kind: Kind = getattr(import_module(f"threadwise.proofs.{module}"), attribute)
    return kind


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
    kind = kind_named(certificate.kind)
    try:
        return kind.check(program, certificate, tick, second_solver=second_solver)
    except Undefined as error:
        raise Refuted(f"it lists a state in which a step has no meaning: {error}") from error


def monitor_of(program: Program, certificate: Certificate) -> Monitor | None:
    """What watches runs for claims that do not hold; None if the kind of proof has none yet.

    The number of threads of the program is fixed, also where the proof is about any number.
    """
    return kind_named(certificate.kind).monitor(program, certificate)


def explain_proof(program: Program, certificate: Certificate) -> list[ThreadExplanation]:
    """Explain a proof, one kind of thread at a time."""
    return kind_named(certificate.kind).explain(program, certificate)


def summarise(certificate: Certificate) -> ProofSummary:
    """What to say about a proof without writing it out."""
    return kind_named(certificate.kind).summarise(certificate)
