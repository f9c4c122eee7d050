"""P, callers and G as JSON."""

from __future__ import annotations

from threadwise.core.documents import Json, as_position
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.toolbox.tables import (
    callers_from_json,
    callers_to_json,
    rows_from_json,
    rows_to_json,
)
from threadwise.semantics.json import (
    Interned,
    cells_from_json,
    cells_to_json,
    local_from_json,
    local_to_json,
)


def write_pushdown(certificate: PushdownCertificate) -> dict[str, Json]:
    """P, the callers and G."""
    locals_ = Interned(local_to_json)
    return {
        "globals": [cells_to_json(cells) for cells in certificate.globals],
        "pairs": [[[g, locals_.position(l)] for g, l in rows] for rows in certificate.pairs],
        "locals": locals_.items,
        "path_edges": rows_to_json(certificate.path_edges),
        "callers": callers_to_json(certificate.callers),
        "guarantees": rows_to_json(certificate.guarantees),
    }


def read_pushdown(
    data: Json, program_hash: str, properties: tuple[str, ...]
) -> PushdownCertificate:
    """A thread-modular certificate of a program with procedures."""
    locals_ = [local_from_json(item) for item in data["locals"]]
    return PushdownCertificate(
        program_hash,
        properties,
        [cells_from_json(item) for item in data["globals"]],
        [[(as_position(g), locals_[as_position(l)]) for g, l in rows] for rows in data["pairs"]],
        rows_from_json(data["path_edges"]),
        callers_from_json(data["callers"]),
        rows_from_json(data["guarantees"]),
    )
