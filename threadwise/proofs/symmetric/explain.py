"""R and G of representatives for people."""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.words import count
from threadwise.ir.program import Program
from threadwise.proofs.base.explanation import ProofSummary, ThreadExplanation
from threadwise.proofs.counting.explain import explain_equations
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.proofs.toolbox.explain.calls import CallTables
from threadwise.proofs.toolbox.explain.pairs import explain_pairs, pairs_of_tables


def explain_symmetric(
    program: Program, certificate: SymmetricCertificate
) -> Iterator[ThreadExplanation]:
    """The invariants and the guarantee of each class of threads, and the equations used."""
    yield from explain_equations(program, certificate.lemmas)
    tables = certificate.globals, certificate.reached, certificate.guarantees
    yield from explain_pairs(
        program,
        pairs_of_tables(certificate.threads, *tables),
        counts=certificate.counts,
        calls=_calls(certificate) if certificate.path_edges else None,
    )


def _calls(certificate: SymmetricCertificate) -> CallTables:
    """The tables of each representative, at the place of its id."""
    place = {thread: k for k, thread in enumerate(certificate.threads)}
    known = [place.get(t) for t in range(max(place) + 1)]
    return CallTables(
        certificate.globals,
        [() if k is None else certificate.reached[k] for k in known],
        [() if k is None else certificate.path_edges[k] for k in known],
        [() if k is None else certificate.callers[k] for k in known],
    )


def summarise_symmetric(certificate: SymmetricCertificate) -> ProofSummary:
    """How large R and G are."""
    size = sum(map(len, certificate.reached))
    changes = sum(map(len, certificate.guarantees))
    views, steps = count(size, "view"), count(changes, "step")
    words = f"R with {views} of one representative per kind of thread, G with {steps}"
    if certificate.lemmas:
        words += f", and {count(len(certificate.lemmas), 'equation')}"
    return ProofSummary(size, words)
