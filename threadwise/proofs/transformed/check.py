"""The checker of proofs about transformed programs.

Obligations, for steps S₁ … Sₙ and a certificate C:

    (1) C claims what the certificate claims
    (2) the steps preserve that, also what is claimed in part, and lead from the program of record
        to another one: see `steps`, `changes` and `order`
    (3) C proves it for the program after the steps
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain

from threadwise.ir.program import Edge, EdgeId, Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.locksets.kernel_first import MEMORY
from threadwise.proofs.toolbox.features import ALL, refuse_others
from threadwise.proofs.transformed.certificate import (
    MOST_CREATED,
    RESOLVED,
    Parametrise,
    Presume,
    Simplify,
    TransformedCertificate,
)
from threadwise.proofs.transformed.source_names import SourceNames
from threadwise.proofs.transformed.steps import After, programs_after

TREATS = ALL
"""The features of programs that this checker treats."""


def check_transformed(
    program: Program,
    certificate: TransformedCertificate,
    tick: Callable[[], object],
    *,
    second_solver: bool = False,
) -> CheckedProof:
    """Check a certificate; raises Refuted."""
    from threadwise.proofs.base.registry import check_certificate

    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    if certificate.properties != certificate.inner.properties:  # (1)
        raise Refuted("the inner certificate claims something else")
    claimed = claimed_properties(program, (*certificate.properties, *certificate.partial))
    refuse_others(program, TREATS, "a change of the program")
    if not _only_passes(certificate):  # any number of these may follow each other
        from threadwise.proofs.transformed.order import check_order

        check_order(certificate, claimed)  # (2)
    steps_made = programs_after(
        program, certificate.steps, claimed, tick, second_solver=second_solver
    )
    made = list(steps_made)
    last = made[-1].program if made else program
    proof = check_certificate(last, certificate.inner, tick, second_solver=second_solver)  # (3)
    before = (program, *(after.program for after in made))
    for after, old in zip(reversed(made), before[-2::-1], strict=True):
        if isinstance(after.step, Simplify) and proof.simpler is None:
            proof = replace(proof, simpler=proof, simplified=after.program)
        proof = _by_origin(proof, after, old)
    rests = [told for pair in zip(before, made, strict=False) for told in _assumed(*pair)]
    proof = replace(proof, assumptions=tuple(dict.fromkeys((*proof.assumptions, *rests))))
    names = SourceNames(program)
    told = {name: names.locations(found) for name, found in proof.locations.items()}
    return replace(proof, locations=told)


def _only_passes(certificate: TransformedCertificate) -> bool:
    """Whether all steps are passes that keep every property, and the inner proof has no steps."""
    kept = (isinstance(step, Simplify) and step.name != RESOLVED for step in certificate.steps)
    return all(kept) and not isinstance(certificate.inner, TransformedCertificate)


def _assumed(before: Program, after: After) -> Iterator[str]:
    """What a step rests on besides the program."""
    if isinstance(after.step, Presume):
        from threadwise.proofs.transformed.presumed import assumes

        if assumes(before, after.program):
            yield MEMORY
    if isinstance(after.step, Parametrise):
        for name in after.step.assumed:
            yield f"at most {MOST_CREATED:,} threads that run {name} are created"


def _by_origin(proof: CheckedProof, after: After, before: Program) -> CheckedProof:
    """A proof about a program after a step, by the edges and locations of the program before."""
    reached = frozenset(
        origin
        for edge in after.program.edges
        if edge.id in proof.taken_edges or edge.source in proof.visited_locations
        for origin in after.origins[edge.id]
    )
    if after.merged:
        return _before_merging(proof, after, before, reached)
    visited = frozenset(at for here, at in after.places.items() if here in proof.visited_locations)
    if isinstance(after.step, Presume):  # steps that end runs are left out, and may be taken
        ends = [
            edge for edge in after.program.edges if edge.source in visited and _ends(after, edge)
        ]
        reached |= {edge.id for edge in ends}
        visited |= {edge.target for edge in ends}
    return replace(proof, taken_edges=reached, visited_locations=visited)


def _before_merging(
    proof: CheckedProof, after: After, before: Program, reached: frozenset[EdgeId]
) -> CheckedProof:
    """All locations whose places are reached, and the edges between them that were left out."""
    visited = frozenset(
        here for here, there in enumerate(after.merged) if there in proof.visited_locations
    )
    kept = frozenset(chain.from_iterable(after.origins))
    left_out = {edge.id for edge in before.edges if edge.id not in kept and edge.source in visited}
    return replace(proof, taken_edges=reached | left_out, visited_locations=visited)


def _ends(after: After, edge: Edge) -> bool:
    return after.program.locations[edge.target].failure is not None
