"""Proofs by all interleavings for people."""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.words import count
from threadwise.ir.layout import ProgramLayout
from threadwise.ir.program import Program
from threadwise.proofs.base.explanation import ProofSummary, ThreadExplanation
from threadwise.proofs.interleavings.certificate import InterleavingsCertificate


def explain_interleavings(
    program: Program, certificate: InterleavingsCertificate
) -> Iterator[ThreadExplanation]:
    """How many steps each thread takes at most."""
    name = ProgramLayout.of(program).numbers.name
    lines = [f"{name(t)} takes at most {n} steps" for t, n in enumerate(certificate.lengths)]
    lines.append("a solver found no order of these steps that violates a property")
    yield ThreadExplanation("how far threads get", (), (), (), notes=tuple(lines))


def summarise_interleavings(certificate: InterleavingsCertificate) -> ProofSummary:
    """How many steps there are in all."""
    size = sum(certificate.lengths)
    active = sum(1 for length in certificate.lengths if length)
    words = f"all interleavings of {count(size, 'step')} of {count(active, 'thread')}"
    return ProofSummary(size, words)
