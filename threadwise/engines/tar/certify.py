"""Reach sets as a certificate: per template and location a formula over one thread's view."""

from __future__ import annotations

from threadwise.engines.tar.derivation import Fixpoint
from threadwise.engines.tar.formulas import disjunction
from threadwise.evidence.certificate import RepresentativesCertificate, RepresentativesFormula
from threadwise.ir.expr import Expr
from threadwise.ir.formulas import about, formula_text, representatives
from threadwise.ir.printer import program_hash
from threadwise.ir.program import LocId
from threadwise.systems.api import Role
from threadwise.systems.predicate.predicates import Predicate
from threadwise.systems.predicate.system import PredicateSystem


def certify(
    system: PredicateSystem, names: tuple[str, ...], fixpoint: Fixpoint
) -> RepresentativesCertificate:
    """The certificate of reach sets that prove the named properties."""
    formulas: list[RepresentativesFormula] = []
    for t in system.roles:
        template = system.templates[t]
        threads = representatives((template,))
        for location, formula in location_formulas(system, t, fixpoint).items():
            text = formula_text(system.program, about(threads[0], formula), threads)
            formulas.append(RepresentativesFormula((template,), (location,), text))
    return RepresentativesCertificate(program_hash(system.program), names, 1, formulas)


def location_formulas(system: PredicateSystem, t: Role, fixpoint: Fixpoint) -> dict[LocId, Expr]:
    """Per location, one of the cubes reached there holds."""
    cubes: dict[LocId, list[dict[Predicate, bool]]] = {}
    for g, l in fixpoint.reached[t]:
        cubes.setdefault(l.location, []).append(system.literals(t, g, l))
    return {location: disjunction(found) for location, found in sorted(cubes.items())}
