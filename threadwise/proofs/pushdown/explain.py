"""P, callers and G for people."""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.words import count
from threadwise.ir.program import Program
from threadwise.proofs.base.explanation import ProofSummary, ThreadExplanation
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.toolbox.explain.calls import CallTables
from threadwise.proofs.toolbox.explain.pairs import explain_pairs, pairs_of_tables


def explain_pushdown(
    program: Program, certificate: PushdownCertificate
) -> Iterator[ThreadExplanation]:
    """The invariants and the guarantee of each thread, and what calls do."""
    tables = certificate.globals, certificate.pairs, certificate.guarantees
    calls = CallTables(
        certificate.globals, certificate.pairs, certificate.path_edges, certificate.callers
    )
    threads = range(len(certificate.pairs))
    return explain_pairs(program, pairs_of_tables(threads, *tables), calls=calls)


def summarise_pushdown(certificate: PushdownCertificate) -> ProofSummary:
    """How large P is."""
    size = sum(map(len, certificate.path_edges))
    edges = count(size, "path edge")
    return ProofSummary(size, f"P with {edges} of single threads, and their guarantees")
