"""Orders of locks for people."""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.words import count
from threadwise.ir.program import Program
from threadwise.proofs.base.explanation import ProofSummary, ThreadExplanation
from threadwise.proofs.lock_order.certificate import LockOrderCertificate


def explain_lock_order(
    program: Program, certificate: LockOrderCertificate
) -> Iterator[ThreadExplanation]:
    """The order, group by group."""
    lines = ["who has one of these waits only for those further down:"]
    for group in certificate.order:
        names = ", ".join(sorted(group.nodes))
        gate = f" (in any order, by who has {group.gate})" if group.gate is not None else ""
        lines.append(f"{names}{gate}")
    yield ThreadExplanation("the order of locks", (), (), (), notes=tuple(lines))


def summarise_lock_order(certificate: LockOrderCertificate) -> ProofSummary:
    """How many locks and ends of threads there are."""
    size = sum(len(group.nodes) for group in certificate.order)
    return ProofSummary(size, f"one order of {count(size, 'lock or end', 'locks and ends')}")
