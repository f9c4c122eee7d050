"""Traces as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import PurePath

from threadwise.core.documents import (
    FORMAT_VERSION,
    TRACE_FORMAT,
    Json,
    as_count,
    as_integer,
    as_list,
    as_position,
    as_text,
    shown,
    span_to_json,
    well_formed,
)
from threadwise.core.load_documents import load_to_json
from threadwise.core.load_options import LoadOptions
from threadwise.ir.program import EdgeId
from threadwise.semantics.json import cells_from_json, cells_to_json
from threadwise.semantics.state import Choice, Move
from threadwise.traces.trace import Change, DescribedTrace, Trace, WaitingThread

_FOLDERS = re.compile(r"[^\s`'\"]*/(?=[^\s/]+:\d+)")
"""The folders of a place in a text: `src/` in `at src/queue.c:12:3`."""


def trace_to_json(described: DescribedTrace, load: LoadOptions, file: str | None = None) -> Json:
    """A trace with everything needed to replay and to read it; `file` is where its program is."""
    trace = described.trace
    return {
        "format": TRACE_FORMAT,
        "format_version": FORMAT_VERSION,
        **({"file": file} if file is not None else {}),
        "program_hash": trace.program_hash,
        "load": load_to_json(load),
        "property": trace.property,
        "violation": described.violation,
        **(
            {"waiting": list(map(_waiting_to_json, described.waiting))}
            if described.waiting
            else {}
        ),
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


def _waiting_to_json(waiting: WaitingThread) -> Json:
    return {
        "thread": waiting.thread,
        "location": span_to_json(waiting.span),
        "waits_for": [
            {
                "kind": wait.kind,
                "what": wait.what,
                "held_by": [
                    {"thread": holder.thread, "since": span_to_json(holder.since)}
                    for holder in wait.holders
                ],
            }
            for wait in waiting.waits
        ],
    }


def trace_from_json(data: Json, path: str) -> Trace:
    """The trace of a file; its description in the file is checked by `differences`."""

    def read() -> Trace:
        return Trace(
            as_text(data["program_hash"]),
            as_text(data["property"]),
            cells_from_json(data["initial"]),
            tuple(_moves(data["steps"], path)),
            {name: as_count(count) for name, count in data["counts"].items()},
            tuple(as_integer(value) for value in as_list(data.get("inputs", []))),
        )

    return well_formed(read, path)


def _moves(steps: Json, path: str) -> Iterator[Move]:
    for number, step in enumerate(as_list(steps), start=1):
        yield well_formed(partial(_move, step), f"{path}: step {number}")


def _move(step: Json) -> Move:
    choices = tuple(
        Choice(EdgeId(as_position(choice["edge"])), cells_from_json(choice["values"]))
        for choice in as_list(step["choices"])
    )
    return Move(as_position(step["thread"]), choices)


def differences(described: DescribedTrace, load: LoadOptions, data: Json) -> Iterator[str]:
    """Where the description in a file differs from what happens, in words."""
    happens = {**trace_to_json(described, load), "load": data["load"]}
    for name, told in data.items():
        if name == "steps":
            for number, pair in enumerate(zip(told, happens["steps"], strict=True), start=1):
                yield from _unlike(f"step {number}, ", *pair)
        elif name == "file":
            as_text(told)
        elif name not in happens:
            yield f"`{shown(name)}` is nothing that a trace tells"
        elif _kept(name, told) != _kept(name, happens[name]):
            yield _difference(name, told, happens[name])
    for name in happens.keys() - data.keys():
        yield f"the file does not say `{name}`"


def _unlike(where: str, told: Json, happens: Json) -> Iterator[str]:
    """Where two objects differ; of the file that a place is in only the name counts."""
    for name in dict.fromkeys((*told, *happens)):
        first, second = told.get(name), happens.get(name)
        if _kept(name, first) != _kept(name, second):
            yield where + _difference(name, first, second)


def _kept(name: str, value: Json) -> Json:
    """What is compared: sources may be read from another folder."""
    if isinstance(value, Mapping):
        return {key: _kept(key, each) for key, each in value.items()}
    if isinstance(value, list):
        return [_kept(name, each) for each in value]
    if name == "file" and isinstance(value, str):
        return PurePath(value).name
    return _FOLDERS.sub("", value) if isinstance(value, str) else value


def _difference(name: str, told: Json, happens: Json) -> str:
    return f"{name}: the file says {shown(told)}, it is {shown(happens)}"


def _change_to_json(change: Change) -> Json:
    return {
        "cell": change.cell,
        "before": change.before,
        "after": change.after,
        "shared": change.shared,
    }
