"""Formulas about representatives, as JSON."""

from __future__ import annotations

from threadwise.core.documents import Json, as_position, as_text
from threadwise.ir.program import EdgeId, LocId
from threadwise.proofs.counting.files import invariants_from_json, invariants_to_json
from threadwise.proofs.representatives.certificate import (
    ContextCall,
    RepresentativesCertificate,
    RepresentativesFormula,
)
from threadwise.transforms.ghosts import IdGhost


def write_representatives(certificate: RepresentativesCertificate) -> dict[str, Json]:
    """The tables of a certificate; contexts only where there are calls."""
    tables: dict[str, Json] = {
        "k": certificate.k,
        "formulas": [
            [list(item.templates), list(item.locations), item.formula]
            + ([item.context] if certificate.calls or item.context else [])
            for item in certificate.formulas
        ],
        "linear": invariants_to_json(certificate.lemmas),
    }
    if certificate.calls:
        tables["context_calls"] = [list(item) for item in certificate.calls]
    if certificate.ghosts:
        tables["ghosts"] = [
            [ghost.name, list(ghost.mine), list(ghost.nobody)] for ghost in certificate.ghosts
        ]
    return tables


def read_representatives(
    data: Json, program_hash: str, properties: tuple[str, ...]
) -> RepresentativesCertificate:
    """A certificate; raises an error if the tables are none."""
    return RepresentativesCertificate(
        program_hash,
        properties,
        as_position(data["k"]),
        [_formula(*row) for row in data["formulas"]],
        invariants_from_json(data.get("linear", [])),
        [_call(*row) for row in data.get("context_calls", [])],
        tuple(_ghost(*row) for row in data.get("ghosts", [])),
    )


def _ghost(name: Json, mine: Json, nobody: Json) -> IdGhost:
    edges = [tuple(EdgeId(as_position(edge)) for edge in listed) for listed in (mine, nobody)]
    return IdGhost(as_text(name), *edges)


def _formula(
    templates: Json, locations: Json, formula: Json, context: Json = 0
) -> RepresentativesFormula:
    places = tuple(None if place is None else LocId(as_position(place)) for place in locations)
    names = tuple(map(as_text, templates))
    return RepresentativesFormula(names, places, as_text(formula), as_position(context))


def _call(template: Json, caller: Json, call: Json, callee: Json, formula: Json) -> ContextCall:
    edge = EdgeId(as_position(call))
    return ContextCall(
        as_text(template), as_position(caller), edge, as_position(callee), as_text(formula)
    )
