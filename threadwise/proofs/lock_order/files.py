"""Orders of locks as JSON."""

from __future__ import annotations

from threadwise.core.documents import Json, as_count, as_list, as_text
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
    return LockOrderCertificate(program_hash, properties, changes, entries, order)


def _names(data: Json) -> Names:
    return frozenset(as_text(name) for name in as_list(data))
