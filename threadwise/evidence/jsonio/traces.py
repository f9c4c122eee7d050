"""Traces as JSON."""

from __future__ import annotations

from collections.abc import Iterable

from threadwise.evidence.jsonio.documents import (
    FORMAT_VERSION,
    TRACE_FORMAT,
    load_to_json,
    span_to_json,
)
from threadwise.evidence.jsonio.stores import (
    Json,
    as_count,
    as_integer,
    cells_from_json,
    cells_to_json,
    well_formed,
)
from threadwise.evidence.result import LoadOptions
from threadwise.evidence.trace import Change, DescribedTrace, Trace
from threadwise.ir.program import EdgeId
from threadwise.semantics.state import Choice, Move


def trace_to_json(described: DescribedTrace, load: LoadOptions) -> Json:
    """A trace with everything needed to replay and to read it."""
    trace = described.trace
    return {
        "format": TRACE_FORMAT,
        "format_version": FORMAT_VERSION,
        "program_hash": trace.program_hash,
        "load": load_to_json(load),
        "property": trace.property,
        "violation": described.violation,
        "counts": dict(trace.counts),
        "threads": list(described.threads),
        "initial": cells_to_json(trace.initial),
        **({"inputs": list(trace.inputs)} if trace.inputs else {}),
        "steps": [
            {
                "thread": move.thread,
                "thread_name": step.thread_name,
                "choices": [
                    {"edge": choice.edge, "values": cells_to_json(choice.values)}
                    for choice in move.choices
                ],
                "location": span_to_json(step.span),
                "text": step.text,
                "changes": [_change_to_json(change) for change in step.changes],
            }
            for move, step in zip(trace.moves, described.steps, strict=True)
        ],
    }


def trace_from_json(data: Json, path: str) -> tuple[Trace, list[list[Json]]]:
    """A trace, and the changes per step that the file claims."""

    def read() -> tuple[Trace, list[list[Json]]]:
        moves = [
            Move(
                as_integer(step["thread"]),
                tuple(
                    Choice(EdgeId(as_integer(c["edge"])), cells_from_json(c["values"]))
                    for c in step["choices"]
                ),
            )
            for step in data["steps"]
        ]
        counts = {str(k): as_count(v) for k, v in data["counts"].items()}
        trace = Trace(
            str(data["program_hash"]),
            str(data["property"]),
            cells_from_json(data["initial"]),
            tuple(moves),
            counts,
            tuple(as_integer(value) for value in data.get("inputs", ())),
        )
        return trace, [list(step["changes"]) for step in data["steps"]]

    return well_formed(read, path)


def claimed_changes_match(described: DescribedTrace, claimed: Iterable[list[Json]]) -> bool:
    """Whether the changes a trace file shows its reader are those of the replayed trace."""
    actual = [[_change_to_json(change) for change in step.changes] for step in described.steps]
    return actual == list(claimed)


def _change_to_json(change: Change) -> Json:
    return {
        "cell": change.cell,
        "before": change.before,
        "after": change.after,
        "shared": change.shared,
    }
