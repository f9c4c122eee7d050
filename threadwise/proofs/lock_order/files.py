"""Orders of locks as JSON."""

from __future__ import annotations

from threadwise.core.documents import Json, as_count, as_integer, as_list, as_text
from threadwise.proofs.lock_order.certificate import (
    Change,
    Entry,
    Group,
    LockOrderCertificate,
    Names,
)


def write_lock_order(certificate: LockOrderCertificate) -> dict[str, Json]:
    """What changes inside procedures, how they are entered, and the order."""
    return {
        "procedures": [
            {
                "procedure": procedure,
                "changes": [[location, *_change_to_json(c)] for location, c in changes.items()],
            }
            for procedure, changes in certificate.changes.items()
        ],
        "entries": [
            {
                "procedure": entry.procedure,
                "may": sorted(entry.may),
                "surely": sorted(entry.surely),
            }
            for entry in certificate.entries
        ],
        "bounds": [
            {
                "procedure": procedure,
                "locations": [
                    [location, [[name, *limits] for name, limits in known.items()]]
                    for location, known in claims.items()
                ],
            }
            for procedure, claims in certificate.bounds.items()
        ],
        "order": [
            {"nodes": sorted(group.nodes), "gate": group.gate} for group in certificate.order
        ],
    }


def _change_to_json(change: Change) -> list[Json]:
    parts = (change.gained, change.lost, change.kept, change.freed)
    return [sorted(part) for part in parts]


def read_lock_order(
    data: Json, program_hash: str, properties: tuple[str, ...]
) -> LockOrderCertificate:
    """A certificate of an order of locks."""
    changes = {
        as_text(row["procedure"]): {
            as_count(location): Change(*map(_names, parts))
            for location, *parts in map(as_list, as_list(row["changes"]))
        }
        for row in as_list(data["procedures"])
    }
    entries = tuple(
        Entry(as_text(row["procedure"]), _names(row["may"]), _names(row["surely"]))
        for row in as_list(data["entries"])
    )
    order = tuple(
        Group(_names(row["nodes"]), None if row["gate"] is None else as_text(row["gate"]))
        for row in as_list(data["order"])
    )
    bounds = {
        as_text(row["procedure"]): {
            as_count(location): {
                as_text(name): (_limit(low), _limit(high)) for name, low, high in known
            }
            for location, known in map(as_list, as_list(row["locations"]))
        }
        for row in as_list(data["bounds"])
    }
    return LockOrderCertificate(program_hash, properties, changes, entries, order, bounds)


def _limit(data: Json) -> int | None:
    return None if data is None else as_integer(data)


def _names(data: Json) -> Names:
    return frozenset(as_text(name) for name in as_list(data))
