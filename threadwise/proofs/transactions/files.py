"""Certificates about transactions as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.core.documents import Json, as_bit, as_position, as_text, shown
from threadwise.ir.program import EdgeId
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.pushdown.files import read_pushdown, write_pushdown
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.proofs.thread_modular.files import read_thread_modular, write_thread_modular
from threadwise.proofs.toolbox.tables import states_from_json, states_to_json
from threadwise.proofs.transactions.certificate import (
    ReductionCertificate,
    StoreClaims,
    SummaryCertificate,
    SummaryTables,
)
from threadwise.semantics.json import (
    Interned,
    cells_from_json,
    cells_to_json,
    local_from_json,
    local_to_json,
)
from threadwise.semantics.state import Frame, LocalStore

Below = Sequence[Sequence[tuple[Frame, Frame | None]]]
MoverPairs = ThreadModularCertificate | PushdownCertificate


def mover_pairs_to_json(pairs: MoverPairs) -> Json:
    """R behind the movers."""
    if isinstance(pairs, PushdownCertificate):
        return {"kind": "pushdown", **write_pushdown(pairs)}
    return {"kind": "thread-modular", **write_thread_modular(pairs)}


def mover_pairs_from_json(data: Json, program_hash: str) -> MoverPairs:
    """R behind the movers; it claims no property."""
    match data["kind"]:
        case "pushdown":
            return read_pushdown(data, program_hash, ())
        case "thread-modular":
            return read_thread_modular(data, program_hash, ())
        case unknown:
            raise ValueError(f"pairs of the unknown kind {shown(unknown)}")


def write_reduction(certificate: ReductionCertificate) -> dict[str, Json]:
    """Σ, its partition and R behind the movers."""
    return {
        "mover_pairs": mover_pairs_to_json(certificate.pairs),
        **_digest_to_json(certificate.forgotten, certificate.alone),
        "claims": [[claims_to_json(claims) for claims in rows] for rows in certificate.claims],
        **states_to_json(certificate.states),
        "parts": list(certificate.parts),
        "ranks": list(certificate.ranks),
    }


def read_reduction(
    data: Json, program_hash: str, properties: tuple[str, ...]
) -> ReductionCertificate:
    """A certificate of reduction."""
    return ReductionCertificate(
        program_hash,
        properties,
        mover_pairs_from_json(data["mover_pairs"], program_hash),
        [[claims_from_json(item) for item in rows] for rows in data["claims"]],
        states_from_json(data),
        [as_text(parts) for parts in data["parts"]],
        [as_position(rank) for rank in data["ranks"]],
        *_digest_from_json(data),
    )


def _digest_to_json(forgotten: tuple[str, ...], alone: bool) -> dict[str, Json]:
    """Which program the pairs are about; nothing if it is the whole program."""
    found: dict[str, Json] = {"forgotten": list(forgotten)} if forgotten else {}
    return {**found, "alone": 1} if alone else found


def _digest_from_json(data: Json) -> tuple[tuple[str, ...], bool]:
    forgotten = tuple(as_text(name) for name in data.get("forgotten", []))
    return forgotten, bool(as_bit(data.get("alone", 0)))


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


def write_summaries(certificate: SummaryCertificate) -> dict[str, Json]:
    """Ω, the summaries, the partition and R behind the movers."""
    pairs = certificate.pairs
    locals_ = Interned(local_to_json)
    tables = certificate.summaries
    return {
        "mover_pairs": None if pairs is None else mover_pairs_to_json(pairs),
        **_digest_to_json(certificate.forgotten, certificate.alone),
        "claims": [[claims_to_json(claims) for claims in rows] for rows in certificate.claims],
        "stores": [cells_to_json(cells) for cells in certificate.globals],
        "nodes": [[[g, locals_.position(l), part] for g, l, part in t.nodes] for t in tables],
        "locals": locals_.items,
        "frames": [[[f.call, cells_to_json(f.locals)] for f in t.frames] for t in tables],
        "path_edges": [[list(row) for row in t.path_edges] for t in tables],
        "sums": [[list(row) for row in t.sums] for t in tables],
        "sum_calls": [[list(row) for row in t.calls] for t in tables],
        "sum_returns": [[list(row) for row in t.returns] for t in tables],
        "marks": [list(t.marks) for t in tables],
        "node_ranks": [[list(row) for row in t.ranks] for t in tables],
        **states_to_json(certificate.states),
        "parts": list(certificate.parts),
        **_below_to_json(certificate.below),
    }


def _below_to_json(below: Below | None) -> dict[str, Json]:
    """What may lie below frames; nothing if stacks are whole."""
    if below is None:
        return {}

    def told(frame: Frame | None) -> Json:
        return None if frame is None else [frame.call, cells_to_json(frame.locals)]

    return {"below": [[[told(f), told(under)] for f, under in rows] for rows in below]}


def _below_from_json(data: Json) -> Below | None:
    def frame(item: Json) -> Frame:
        call, saved = item
        return Frame(EdgeId(as_position(call)), cells_from_json(saved))

    below = data.get("below")
    if below is None:
        return None
    return [
        [(frame(f), None if under is None else frame(under)) for f, under in rows]
        for rows in below
    ]


def read_summaries(
    data: Json, program_hash: str, properties: tuple[str, ...]
) -> SummaryCertificate:
    """A certificate of search with summaries."""
    pairs = data["mover_pairs"]
    locals_ = [local_from_json(item) for item in data["locals"]]
    names = ("nodes", "frames", "path_edges", "sums", "sum_calls", "sum_returns", "marks")
    columns = [data[name] for name in (*names, "node_ranks")]
    return SummaryCertificate(
        program_hash,
        properties,
        None if pairs is None else mover_pairs_from_json(pairs, program_hash),
        [cells_from_json(item) for item in data["stores"]],
        [[claims_from_json(item) for item in rows] for rows in data["claims"]],
        [_summary_tables(locals_, *row) for row in zip(*columns, strict=True)],
        states_from_json(data),
        [as_text(parts) for parts in data["parts"]],
        *_digest_from_json(data),
        _below_from_json(data),
    )


def _summary_tables(locals_: list[LocalStore], *columns: Json) -> SummaryTables:
    nodes, frames, path_edges, sums, calls, returns, marks, ranks = columns
    return SummaryTables(
        [(as_position(g), locals_[as_position(l)], as_text(part)) for g, l, part in nodes],
        [Frame(EdgeId(as_position(call)), cells_from_json(saved)) for call, saved in frames],
        [(as_position(a), as_position(b)) for a, b in path_edges],
        [(as_position(a), as_position(b)) for a, b in sums],
        [(as_position(a), as_position(n), as_position(f)) for a, n, f in calls],
        [(as_position(a), as_position(f), as_position(c)) for a, f, c in returns],
        [as_position(a) for a in marks],
        [
            (as_position(a), as_position(b), None if f is None else as_position(f), as_position(r))
            for a, b, f, r in ranks
        ],
    )
