"""Formulas about k threads, for people."""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.words import count
from threadwise.ir.program import Program
from threadwise.proofs.base.explanation import (
    Fact,
    Formula,
    Place,
    ProofSummary,
    ThreadExplanation,
)
from threadwise.proofs.counting.explain import explain_equations
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.toolbox.explain.pairs import place


def explain_representatives(
    program: Program, certificate: RepresentativesCertificate
) -> list[ThreadExplanation]:
    """The formulas of a certificate, combination of threads by combination.

    In a program with calls context by context: a procedure may be run in several.
    """
    facts: dict[str, list[Fact]] = {}
    for templates, locations, text, context in certificate.formulas:
        places = tuple(
            Place(None, (), "anywhere") if location is None else place(program, location)
            for location in locations
        )
        title = ", ".join(f"t{i} a `{name}`" for i, name in enumerate(templates, start=1))
        if certificate.calls and locations[0] is not None:
            procedure = program.procedure_of[locations[0]].name
            if procedure != program.template[templates[0]].body:
                title += f" in `{procedure}`, context {context}"
        facts.setdefault(title, []).append(Fact(places, Formula(text, ())))
    explained = [ThreadExplanation(title, (), tuple(found), ()) for title, found in facts.items()]
    lemmas = explain_equations(program, certificate.lemmas)
    return [*lemmas, *_explain_ghosts(program, certificate), *explained]


def _explain_ghosts(
    program: Program, certificate: RepresentativesCertificate
) -> Iterator[ThreadExplanation]:
    """Which ghosts the formulas use, and who writes them."""
    lines = []
    for ghost in certificate.ghosts:
        for edges, value in ((ghost.mine, "the thread's id"), (ghost.nobody, "none")):
            spans = [program.edges[edge].span for edge in edges]
            at = ", ".join(str(n) for n in dict.fromkeys(span.line for span in spans if span))
            if at:
                lines.append(f"{ghost.name} := {value}, at line {at}")
    if lines:
        yield ThreadExplanation("ghosts", (), (), (), notes=tuple(lines))


def summarise_representatives(certificate: RepresentativesCertificate) -> ProofSummary:
    """How many formulas there are, and about how many threads."""
    size = len(certificate.formulas)
    words = f"{count(size, 'formula')} about {count(certificate.k, 'thread')} at a time"
    if certificate.lemmas:
        words += f", and {count(len(certificate.lemmas), 'equation')}"
    if certificate.ghosts:
        words += f", with {count(len(certificate.ghosts), 'ghost')}"
    return ProofSummary(size, words)
