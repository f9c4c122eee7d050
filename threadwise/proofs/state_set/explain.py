"""Sets of states for people."""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.words import count
from threadwise.ir.program import Program
from threadwise.proofs.base.explanation import ProofSummary, ThreadExplanation
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.proofs.toolbox.explain.pairs import explain_pairs, pairs_of_states


def explain_state_set(
    program: Program, certificate: StateSetCertificate
) -> Iterator[ThreadExplanation]:
    """What threads see in the states."""
    return explain_pairs(program, pairs_of_states(certificate.states))


def summarise_state_set(certificate: StateSetCertificate) -> ProofSummary:
    """How many states there are."""
    size = len(certificate.states)
    return ProofSummary(size, f"a closed set of {count(size, 'state')}")
