"""Certificates about transactions as JSON."""

from __future__ import annotations

from threadwise.evidence.certificate import (
    PushdownCertificate,
    ReductionCertificate,
    StoreClaims,
    ThreadModularCertificate,
)
from threadwise.evidence.jsonio.stores import (
    Json,
    as_bit,
    as_position,
    local_from_json,
    local_to_json,
)
from threadwise.evidence.jsonio.tables import (
    pairs_from_json,
    pairs_to_json,
    pushdown_from_json,
    pushdown_to_json,
    states_from_json,
    states_to_json,
)
from threadwise.ir.program import EdgeId

MoverPairs = ThreadModularCertificate | PushdownCertificate


def mover_pairs_to_json(pairs: MoverPairs) -> Json:
    """R behind the movers."""
    if isinstance(pairs, PushdownCertificate):
        return {"kind": "pushdown", **pushdown_to_json(pairs)}
    return {"kind": "thread-modular", **pairs_to_json(pairs)}


def mover_pairs_from_json(data: Json, program_hash: str) -> MoverPairs:
    """R behind the movers; it claims no property."""
    match data["kind"]:
        case "pushdown":
            return PushdownCertificate(program_hash, (), *pushdown_from_json(data))
        case "thread-modular":
            return ThreadModularCertificate(program_hash, (), *pairs_from_json(data))
        case unknown:
            raise ValueError(f"pairs of the unknown kind {unknown!r}")


def reduction_to_json(certificate: ReductionCertificate) -> dict[str, Json]:
    """Σ, its partition and R behind the movers."""
    return {
        "mover_pairs": mover_pairs_to_json(certificate.pairs),
        "claims": [[claims_to_json(claims) for claims in rows] for rows in certificate.claims],
        **states_to_json(certificate.states),
        "parts": list(certificate.parts),
        "ranks": list(certificate.ranks),
    }


def reduction_from_json(
    data: Json, program_hash: str, properties: tuple[str, ...]
) -> ReductionCertificate:
    """A certificate of reduction."""
    return ReductionCertificate(
        program_hash,
        properties,
        mover_pairs_from_json(data["mover_pairs"], program_hash),
        [[claims_from_json(item) for item in rows] for rows in data["claims"]],
        states_from_json(data),
        [str(parts) for parts in data["parts"]],
        [as_position(rank) for rank in data["ranks"]],
    )


def claims_to_json(claims: StoreClaims) -> Json:
    """What a proof claims about a local store."""
    return {
        "store": local_to_json(claims.l),
        "before_commit": int(claims.before_commit),
        "after_commit": int(claims.after_commit),
        "right": list(claims.right),
        "left": list(claims.left),
    }


def claims_from_json(item: Json) -> StoreClaims:
    """What a proof claims about a local store."""
    return StoreClaims(
        local_from_json(item["store"]),
        bool(as_bit(item["before_commit"])),
        bool(as_bit(item["after_commit"])),
        tuple(EdgeId(as_position(edge)) for edge in item["right"]),
        tuple(EdgeId(as_position(edge)) for edge in item["left"]),
    )
