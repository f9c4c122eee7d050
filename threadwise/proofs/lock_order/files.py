"""Orders of locks as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from threadwise.core.documents import Json, as_count, as_list, as_text
from threadwise.proofs.lock_order.certificate import (
    Context,
    Group,
    LockOrderCertificate,
    Names,
)


def write_lock_order(certificate: LockOrderCertificate) -> dict[str, Json]:
    """What may be held and surely is, procedure by procedure, and the order."""
    return {
        "procedures": [
            {
                "procedure": procedure,
                "entered_with": sorted(entered),
                "held": _locations_to_json(held),
                "surely": _locations_to_json(certificate.surely[procedure, entered]),
            }
            for (procedure, entered), held in certificate.held.items()
        ],
        "order": [
            {"nodes": sorted(group.nodes), "gate": group.gate} for group in certificate.order
        ],
    }


def _locations_to_json(held: Mapping[int, Names]) -> Json:
    return [[location, sorted(names)] for location, names in held.items()]


def read_lock_order(
    data: Json, program_hash: str, properties: tuple[str, ...]
) -> LockOrderCertificate:
    """A certificate of an order of locks."""
    held: dict[Context, Mapping[int, Names]] = {}
    surely: dict[Context, Mapping[int, Names]] = {}
    for row in as_list(data["procedures"]):
        context = as_text(row["procedure"]), _names(row["entered_with"])
        held[context] = _locations(row["held"])
        surely[context] = _locations(row["surely"])
    order = tuple(
        Group(_names(row["nodes"]), None if row["gate"] is None else as_text(row["gate"]))
        for row in as_list(data["order"])
    )
    return LockOrderCertificate(program_hash, properties, held, surely, order)


def _locations(data: Json) -> Mapping[int, Names]:
    return {as_count(location): _names(names) for location, names in as_list(data)}


def _names(data: Json) -> Names:
    return frozenset(as_text(name) for name in as_list(data))
