"""The checker of proofs that divide a race property among variables.

Obligations, for a program P, a race property and parts (Vᵢ, Cᵢ):

    (1) the certificate claims this one property, and P has no pointers: every access is to a
        variable that the step names
    (2) every shared variable that the property is about is in some Vᵢ
    (3) Cᵢ proves that Pᵢ has no races on Vᵢ. Pᵢ is P with this as its only property

What a program does is independent of its properties, so P and all Pᵢ have the same runs. A race
is about a cell, which by (1) is part of a variable x, and x is in some Vᵢ by (2): the state would
violate the property of Pᵢ, against (3). Each proof is about all runs, also those that race
elsewhere; no part assumes what another one shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from threadwise.core.quick_dataclass import replace
from threadwise.ir.program import Program
from threadwise.ir.properties import RaceProperty
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.base.locations import Location
from threadwise.proofs.divided.certificate import DividedCertificate, Part, part_of
from threadwise.proofs.toolbox.features import ALL, Feature, refuse_others
from threadwise.proofs.toolbox.plain import refuse_memory

TREATS = ALL - {Feature.HEAP, Feature.POINTERS}
"""The features of programs that this checker treats; further ones are up to the parts."""


def check_divided(
    program: Program,
    certificate: DividedCertificate,
    tick: Callable[[], object],
    *,
    second_solver: bool = False,
) -> CheckedProof:
    """Check a certificate; raises Refuted."""
    from threadwise.proofs.base.registry import check_certificate

    refuse_others(program, TREATS, "a proof of each variable")
    refuse_memory(program)  # (1)
    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    claimed = claimed_properties(program, certificate.properties)
    whole = claimed[0] if len(claimed) == 1 else None
    if not isinstance(whole, RaceProperty):
        raise Refuted("a property that is divided is a single one, about races")
    _check_cover(program, whole, certificate)
    proofs: list[CheckedProof] = []
    for variables, proof in certificate.parts:  # (3)
        if proof.properties != (whole.name,):
            raise Refuted("a part proves something else")
        part = part_of(program, whole.name, variables)
        proofs.append(check_certificate(part, proof, tick, second_solver=second_solver))
        if whole.name not in proofs[-1].properties:
            raise Refuted("a part is not proved")
    return _together(whole.name, certificate.parts, proofs)


def _check_cover(program: Program, whole: RaceProperty, certificate: DividedCertificate) -> None:
    """(2): raises Refuted if a variable is in no part."""
    if not certificate.parts:
        raise Refuted("no parts")
    shared = {declaration.variable.name for declaration in program.globals}
    about = shared if whole.variables is None else shared.intersection(whole.variables)
    for variables, _ in certificate.parts:
        about = about.difference(variables)
    if about:
        raise Refuted(f"no part is about `{min(about)}`")


def _together(name: str, parts: tuple[Part, ...], proofs: list[CheckedProof]) -> CheckedProof:
    """What the parts show: runs stay within what each of them reaches."""
    first, *others = proofs
    return replace(
        first,
        taken_edges=first.taken_edges.intersection(*(p.taken_edges for p in others)),
        visited_locations=first.visited_locations.intersection(
            *(p.visited_locations for p in others)
        ),
        assumptions=tuple(dict.fromkeys(told for p in proofs for told in p.assumptions)),
        locations={name: tuple(_locations(name, parts, proofs))},
        simpler=None,
        simplified=None,
        found=tuple(proof.found for proof in proofs),
    )


def _locations(
    name: str, parts: tuple[Part, ...], proofs: list[CheckedProof]
) -> Iterator[Location]:
    """The locations that proofs speak of; other proofs speak of variables as a whole."""
    for part, proof in zip(parts, proofs, strict=True):
        if name in proof.locations:
            yield from proof.locations[name]
        else:
            told = f"by a proof of its own ({part.proof.kind})"
            yield from (Location(variable, (told,)) for variable in part.variables)
