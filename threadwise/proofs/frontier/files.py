"""The chain of frontier search as JSON."""

from __future__ import annotations

from threadwise.core.documents import Json, as_position
from threadwise.proofs.frontier.certificate import FrontierCertificate
from threadwise.semantics.json import (
    Interned,
    cells_from_json,
    cells_to_json,
    local_from_json,
    local_to_json,
)


def write_frontier(certificate: FrontierCertificate) -> dict[str, Json]:
    """The chain of frontier search."""
    locals_ = Interned(local_to_json)
    chain = [
        [[[g, locals_.position(l)] for g, l in rows] for rows in sets]
        for sets in certificate.chain
    ]
    stores = [cells_to_json(cells) for cells in certificate.globals]
    return {"globals": stores, "locals": locals_.items, "chain": chain}


def read_frontier(
    data: Json, program_hash: str, properties: tuple[str, ...]
) -> FrontierCertificate:
    """A certificate of frontier search."""
    locals_ = [local_from_json(item) for item in data["locals"]]
    chain = [
        [[(as_position(g), locals_[as_position(l)]) for g, l in rows] for rows in sets]
        for sets in data["chain"]
    ]
    stores = [cells_from_json(item) for item in data["globals"]]
    return FrontierCertificate(program_hash, properties, stores, chain)
