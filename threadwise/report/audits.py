"""How thoroughly a proof was tested in runs."""

from __future__ import annotations

from typing import Any

from threadwise.core.words import count
from threadwise.proofs.base.audit import Audit


def audited(audit: Audit) -> str:
    """In a phrase."""
    told = f"audited at {count(audit.states, 'state')}"
    told += f", {audit.locations} of {count(audit.claimed_locations, 'location')}"
    if audit.evaluated is None:
        return f"{told}, the properties only"
    if audit.never:
        told += f"; {count(len(audit.never), 'claim')} never exercised"
    return told


def audit_to_json(audit: Audit | None) -> dict[str, Any] | None:
    """With all claims; null if there was no audit."""
    if audit is None:
        return None
    return {
        "states": audit.states,
        "all_states": audit.complete,
        "locations": audit.locations,
        "claimed_locations": audit.claimed_locations,
        "claims": None if audit.evaluated is None else dict(audit.evaluated),
        "not_looked_at": list(audit.never),
    }
