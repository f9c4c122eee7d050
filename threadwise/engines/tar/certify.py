"""Reach sets as a certificate: per template and location a formula over one thread's view.

Where there are calls, P of the pushdown rules is split by the entries of procedures: each is a
context of the certificate, and its callers are the calls into it.
"""

from __future__ import annotations

from collections.abc import Iterable

from threadwise.engines.tar.derivation import Fixpoint
from threadwise.engines.tar.reach_formulas import disjunction
from threadwise.engines.thread_modular.pushdown import PushdownFixpoint
from threadwise.ir.expr import Expr
from threadwise.ir.program import LocId
from threadwise.ir.text.printer import program_hash
from threadwise.ir.text.thread_formulas import about, formula_text, representatives
from threadwise.proofs.representatives.certificate import (
    ContextCall,
    RepresentativesCertificate,
    RepresentativesFormula,
)
from threadwise.systems.api import Role
from threadwise.systems.predicate.cubes import Valuation
from threadwise.systems.predicate.predicates import Predicate
from threadwise.systems.predicate.system import AbstractFrame, AbstractLocal, Act, PredicateSystem

Pair = tuple[Valuation, AbstractLocal]


def certify(
    system: PredicateSystem, names: tuple[str, ...], fixpoint: Fixpoint
) -> RepresentativesCertificate:
    """The certificate of reach sets that prove the named properties."""
    formulas: list[RepresentativesFormula] = []
    calls: list[ContextCall] = []
    for t in system.roles:
        if isinstance(fixpoint, PushdownFixpoint):
            contexts = {
                a: number
                for number, a in enumerate(
                    dict.fromkeys(
                        a for entries in fixpoint.path_edges[t].values() for a in entries
                    )
                )
            }
            for a, number in contexts.items():
                pairs = [b for b, entries in fixpoint.path_edges[t].items() if a in entries]
                formulas.extend(_formulas(system, t, pairs, number))
            calls.extend(_calls(system, t, fixpoint, contexts))
        else:
            formulas.extend(_formulas(system, t, fixpoint.reached[t], 0))
    whole = program_hash(system.program)
    return RepresentativesCertificate(whole, names, 1, formulas, system.facts.all, calls)


def _formulas(
    system: PredicateSystem, t: Role, pairs: Iterable[Pair], context: int
) -> Iterable[RepresentativesFormula]:
    template = system.templates[t]
    for location, formula in location_formulas(system, t, pairs).items():
        text = _text(system, t, formula, location)
        yield RepresentativesFormula((template,), (location,), text, context)


def location_formulas(
    system: PredicateSystem, t: Role, pairs: Iterable[Pair]
) -> dict[LocId, Expr]:
    """Per location, one of the cubes reached there holds."""
    cubes: dict[LocId, list[dict[Predicate, bool]]] = {}
    for g, l in pairs:
        cubes.setdefault(l.location, []).append(system.literals(t, g, l))
    return {location: disjunction(found) for location, found in sorted(cubes.items())}


def _calls(
    system: PredicateSystem,
    t: Role,
    fixpoint: PushdownFixpoint[Valuation, AbstractLocal, AbstractFrame, Act],
    contexts: dict[Pair, int],
) -> Iterable[ContextCall]:
    predicates = system.precision.predicates
    for entry, callers in fixpoint.callers[t].items():
        for caller in callers:
            known = {predicates[number]: value for number, value in caller.frame.known}
            edge = system.program.edges[caller.frame.call]
            text = _text(system, t, disjunction([known]), edge.source)
            yield ContextCall(
                system.templates[t], contexts[caller.entry], edge.id, contexts[entry], text
            )


def _text(system: PredicateSystem, t: Role, formula: Expr, location: LocId) -> str:
    threads = representatives((system.templates[t],))
    procedure = system.program.procedure_of[location].name
    return formula_text(system.program, about(threads[0], formula), threads, procedure)
