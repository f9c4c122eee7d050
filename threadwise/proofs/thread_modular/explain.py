"""R and G for people."""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.words import count
from threadwise.ir.program import Program
from threadwise.proofs.base.explanation import ProofSummary, ThreadExplanation
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.proofs.toolbox.explain.pairs import explain_pairs, pairs_of_tables


def explain_thread_modular(
    program: Program, certificate: ThreadModularCertificate
) -> Iterator[ThreadExplanation]:
    """The invariants and the guarantee of each thread."""
    tables = certificate.globals, certificate.reached, certificate.guarantees
    return explain_pairs(program, pairs_of_tables(range(len(certificate.reached)), *tables))


def summarise_thread_modular(certificate: ThreadModularCertificate) -> ProofSummary:
    """How large R and G are."""
    size = sum(map(len, certificate.reached))
    changes = sum(map(len, certificate.guarantees))
    stores, steps = count(size, "store"), count(changes, "step")
    return ProofSummary(size, f"R with {stores} of single threads, G with {steps}")
