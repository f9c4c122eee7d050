"""States closed under persistent sets, for people."""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.words import count
from threadwise.ir.program import Program
from threadwise.proofs.base.explanation import ProofSummary, ThreadExplanation
from threadwise.proofs.persistent.certificate import PersistentCertificate
from threadwise.proofs.toolbox.explain.pairs import explain_pairs, pairs_of_states


def explain_persistent(
    program: Program, certificate: PersistentCertificate
) -> Iterator[ThreadExplanation]:
    """What threads see in the states."""
    return explain_pairs(program, pairs_of_states(certificate.states))


def summarise_persistent(certificate: PersistentCertificate) -> ProofSummary:
    """How many states there are."""
    size = len(certificate.states)
    return ProofSummary(size, f"a set of {count(size, 'state')} closed under persistent sets")
