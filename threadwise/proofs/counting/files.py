"""Linear invariants as JSON: a constant, and terms that name a quantity and its factor.

{"constant": 0, "terms": [{"cell": ["readers"], "factor": 1}, {"at": 3, "factor": -1}]}
"""

from __future__ import annotations

from collections.abc import Iterable

from threadwise.core.documents import Json, as_integer, as_text
from threadwise.ir.program import EdgeId, LocId
from threadwise.ir.quantities import (
    CellQuantity,
    FrameCount,
    LinearInvariant,
    LocationCount,
    Quantity,
    ThreadTotal,
)
from threadwise.proofs.counting.certificate import CountingCertificate


def write_counting(certificate: CountingCertificate) -> dict[str, Json]:
    """The equations."""
    return {"linear": invariants_to_json(certificate.invariants)}


def read_counting(
    data: Json, program_hash: str, properties: tuple[str, ...]
) -> CountingCertificate:
    """A certificate of equations."""
    return CountingCertificate(program_hash, properties, invariants_from_json(data["linear"]))


def invariants_to_json(invariants: Iterable[LinearInvariant]) -> Json:
    """Invariants for a file."""
    return [
        {
            "constant": invariant.constant,
            "terms": [{**_to_json(q), "factor": factor} for q, factor in invariant.terms],
        }
        for invariant in invariants
    ]


def _to_json(quantity: Quantity) -> dict[str, Json]:
    match quantity:
        case LocationCount(location):
            return {"at": location}
        case FrameCount(call):
            return {"waiting": call}
        case ThreadTotal(template):
            return {"threads": template}
        case CellQuantity(variable, path, equals):
            cell = {"cell": [variable, *path]}
            return cell if equals is None else {**cell, "equals": equals}


def invariants_from_json(items: Json) -> tuple[LinearInvariant, ...]:
    """Invariants of a file; TypeError, ValueError or KeyError if they are malformed."""
    return tuple(
        LinearInvariant(
            tuple((_quantity(term), as_integer(term["factor"])) for term in item["terms"]),
            as_integer(item["constant"]),
        )
        for item in items
    )


def _quantity(term: Json) -> Quantity:
    if "at" in term:
        return LocationCount(LocId(as_integer(term["at"])))
    if "waiting" in term:
        return FrameCount(EdgeId(as_integer(term["waiting"])))
    if "threads" in term:
        return ThreadTotal(as_text(term["threads"]))
    variable, *path = term["cell"]
    steps = tuple(part if isinstance(part, str) else as_integer(part) for part in path)
    equals = None if term.get("equals") is None else as_integer(term["equals"])
    return CellQuantity(as_text(variable), steps, equals)
