"""Claims about resource invariants from JSON."""

from __future__ import annotations

from threadwise.core.documents import Json, as_position, as_text
from threadwise.ir.program import EdgeId, LocId
from threadwise.proofs.locksets.files import gate_from_json, key_from_json
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.resources.claims import Owned, Resources, Shape, Unit


def resources_from_json(data: Json) -> Resources:
    """What is claimed of memory that locks protect."""
    return Resources(
        frozenset(map(as_text, data["sites"])),
        dict(map(gate_from_json, data["slots"])),
        frozenset(
            Unit(key_from_json(head), key_from_json(tail), Shape(as_text(shape)), as_position(n))
            for head, tail, shape, n in data["tails"]
        ),
        dict(map(gate_from_json, data.get("flags", ()))),
        frozenset(Target(as_text(site), as_position(n)) for site, n in data.get("loose", ())),
        dict(map(gate_from_json, data.get("counts", ()))),
        frozenset(map(as_text, data.get("granted", ()))),
        frozenset((LocId(as_position(at)), as_position(n)) for at, n in data["unreached"]),
        frozenset(EdgeId(as_position(edge)) for edge in data["taken"]),
        dict(map(_owned_from_json, data["owned"])),
    )


def _owned_from_json(row: Json) -> tuple[tuple[LocId, int], Owned]:
    location, case, alone, shared = row
    state = LocId(as_position(location)), as_position(case)
    return state, Owned(tuple(map(as_text, alone)), tuple(map(as_text, shared)))
