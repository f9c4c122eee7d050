"""The chain of frontier search for people."""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.words import count
from threadwise.ir.program import Program
from threadwise.proofs.base.explanation import ProofSummary, ThreadExplanation
from threadwise.proofs.frontier.certificate import FrontierCertificate
from threadwise.proofs.toolbox.explain.pairs import Pairs, explain_pairs


def explain_frontier(
    program: Program, certificate: FrontierCertificate
) -> Iterator[ThreadExplanation]:
    """What threads see in all sets of the chain together."""
    return explain_pairs(program, _pairs(certificate))


def _pairs(certificate: FrontierCertificate) -> Iterator[Pairs]:
    stores = [tuple(cells) for cells in certificate.globals]
    for t in range(len(certificate.chain[0]) if certificate.chain else 0):
        rows = dict.fromkeys(row for sets in certificate.chain for row in sets[t])
        yield Pairs(t, [(stores[g], l) for g, l in rows], [])


def summarise_frontier(certificate: FrontierCertificate) -> ProofSummary:
    """How long the chain is."""
    size = sum(len(rows) for sets in certificate.chain for rows in sets)
    return ProofSummary(size, f"a chain of {count(len(certificate.chain), 'frontier')}")
