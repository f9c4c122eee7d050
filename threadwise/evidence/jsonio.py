"""Traces and certificates as JSON files: versioned, and checked when read.

A certificate of states interns what repeats: `globals` lists global stores, `threads` lists what a
thread can look like, and a state is a row of positions in these lists.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from threadwise.core.errors import InputError
from threadwise.core.source import Span
from threadwise.evidence.certificate import (
    Certificate,
    FrontierCertificate,
    PushdownCertificate,
    ReductionCertificate,
    StateSetCertificate,
    StoreClaims,
    SymmetricCertificate,
    ThreadModularCertificate,
)
from threadwise.evidence.result import LoadOptions
from threadwise.evidence.trace import Change, DescribedTrace, Trace
from threadwise.ir.program import EdgeId, LocId
from threadwise.ir.types import Address, Value
from threadwise.semantics.state import (
    Cells,
    Choice,
    Frame,
    GlobalStore,
    HeapObject,
    LocalStore,
    Move,
    State,
)

FORMAT_VERSION = 1
MOST_THREADS = 100_000
"""Evidence about more threads of a template than this is not looked at."""
TRACE_FORMAT = "threadwise-trace"
CERTIFICATE_FORMAT = "threadwise-certificate"

Json = Any
Item = TypeVar("Item")


# -- writing -----------------------------------------------------------------------------------


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
        "initial": _cells_to_json(trace.initial),
        "steps": [
            {
                "thread": move.thread,
                "thread_name": step.thread_name,
                "choices": [
                    {"edge": choice.edge, "values": _cells_to_json(choice.values)}
                    for choice in move.choices
                ],
                "location": span_to_json(step.span),
                "text": step.text,
                "changes": [_change_to_json(change) for change in step.changes],
            }
            for move, step in zip(trace.moves, described.steps, strict=True)
        ],
    }


def certificate_to_json(certificate: Certificate, load: LoadOptions) -> Json:
    """A certificate with everything needed to check it."""
    kind, tables = _kind_and_tables(certificate)
    return {
        "format": CERTIFICATE_FORMAT,
        "format_version": FORMAT_VERSION,
        "kind": kind,
        "program_hash": certificate.program_hash,
        "load": load_to_json(load),
        "properties": list(certificate.properties),
        **tables,
    }


def _kind_and_tables(certificate: Certificate) -> tuple[str, dict[str, Json]]:
    match certificate:
        case StateSetCertificate():
            kind, tables = "state-set", _states_to_json(certificate.states)
        case ThreadModularCertificate():
            kind, tables = "thread-modular", _pairs_to_json(certificate)
        case PushdownCertificate():
            kind, tables = "pushdown", _pushdown_to_json(certificate)
        case FrontierCertificate():
            kind, tables = "frontier", _chain_to_json(certificate)
        case SymmetricCertificate():
            instance = {
                "counts": dict(certificate.counts),
                "representatives": list(certificate.threads),
                "path_edges": _rows_to_json(certificate.path_edges),
                "callers": _callers_to_json(certificate.callers),
            }
            kind, tables = "symmetric", {**instance, **_pairs_to_json(certificate)}
        case ReductionCertificate():
            kind, tables = "reduction", _reduction_to_json(certificate)
    return kind, tables


def _states_to_json(states: Sequence[State]) -> dict[str, Json]:
    globals_ = _Interned(_global_to_json)
    threads = _Interned(_thread_to_json)
    rows = [
        [
            globals_.position(state.g),
            *(threads.position(pair) for pair in zip(state.locals, state.stacks, strict=True)),
        ]
        for state in states
    ]
    return {"globals": globals_.items, "threads": threads.items, "states": rows}


def _reduction_to_json(certificate: ReductionCertificate) -> dict[str, Json]:
    kind, pairs = _kind_and_tables(certificate.pairs)
    return {
        "mover_pairs": {"kind": kind, **pairs},
        "claims": [[_claims_to_json(claims) for claims in rows] for rows in certificate.claims],
        **_states_to_json(certificate.states),
        "parts": list(certificate.parts),
        "ranks": list(certificate.ranks),
    }


def _pairs_to_json(
    certificate: ThreadModularCertificate | SymmetricCertificate,
) -> dict[str, Json]:
    locals_ = _Interned(_local_to_json)
    reached = [[[g, locals_.position(l)] for g, l in pairs] for pairs in certificate.reached]
    return {
        "globals": [_cells_to_json(cells) for cells in certificate.globals],
        "locals": locals_.items,
        "reached": reached,
        "guarantees": [[list(change) for change in made] for made in certificate.guarantees],
    }


def _pushdown_to_json(certificate: PushdownCertificate) -> dict[str, Json]:
    locals_ = _Interned(_local_to_json)
    return {
        "globals": [_cells_to_json(cells) for cells in certificate.globals],
        "pairs": [[[g, locals_.position(l)] for g, l in rows] for rows in certificate.pairs],
        "locals": locals_.items,
        "path_edges": _rows_to_json(certificate.path_edges),
        "callers": _callers_to_json(certificate.callers),
        "guarantees": _rows_to_json(certificate.guarantees),
    }


def _rows_to_json(tables: Sequence[Sequence[tuple[int, int]]]) -> Json:
    return [[list(row) for row in rows] for rows in tables]


def _callers_to_json(tables: Sequence[Sequence[tuple[int, int, Frame]]]) -> Json:
    return [
        [[entry, caller, f.call, _cells_to_json(f.locals)] for entry, caller, f in calls]
        for calls in tables
    ]


def _claims_to_json(claims: StoreClaims) -> Json:
    return {
        "store": _local_to_json(claims.l),
        "before_commit": int(claims.before_commit),
        "after_commit": int(claims.after_commit),
        "right": list(claims.right),
        "left": list(claims.left),
    }


def _chain_to_json(certificate: FrontierCertificate) -> dict[str, Json]:
    locals_ = _Interned(_local_to_json)
    chain = [
        [[[g, locals_.position(l)] for g, l in rows] for rows in sets]
        for sets in certificate.chain
    ]
    stores = [_cells_to_json(cells) for cells in certificate.globals]
    return {"globals": stores, "locals": locals_.items, "chain": chain}


def load_to_json(load: LoadOptions) -> Json:
    """How the program was loaded."""
    return {
        "defines": dict(load.defines),
        "threads": dict(load.threads),
        "max_threads": load.max_threads,
    }


def span_to_json(span: Span | None) -> Json:
    """A source position."""
    if span is None:
        return None
    return {
        "file": span.path,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


class _Interned:
    """Distinct items in order of appearance, each written once."""

    def __init__(self, encode: Callable[[Any], Json]) -> None:
        self.encode = encode
        self.items: list[Json] = []
        self._positions: dict[Any, int] = {}

    def position(self, item: Any) -> int:
        if item not in self._positions:
            self._positions[item] = len(self.items)
            self.items.append(self.encode(item))
        return self._positions[item]


def _value_to_json(value: Value) -> Json:
    if isinstance(value, Address):
        return {"object": value.number, "offset": value.offset}
    return value


def _cells_to_json(cells: Cells) -> Json:
    return [_value_to_json(value) for value in cells]


def _global_to_json(g: GlobalStore) -> Json:
    if not g.heap:
        return _cells_to_json(g.cells)
    heap = [
        {"site": item.site, "cells": _cells_to_json(item.cells), "alive": item.alive}
        for item in g.heap
    ]
    return {"cells": _cells_to_json(g.cells), "heap": heap}


def _thread_to_json(pair: tuple[LocalStore, tuple[Frame, ...]]) -> Json:
    l, stack = pair
    frames = [[frame.call, _cells_to_json(frame.locals)] for frame in stack]
    return [*_local_to_json(l), frames]


def _local_to_json(l: LocalStore) -> Json:
    return [l.pc, _cells_to_json(l.thread), _cells_to_json(l.locals)]


def _change_to_json(change: Change) -> Json:
    return {
        "cell": change.cell,
        "before": change.before,
        "after": change.after,
        "shared": change.shared,
    }


# -- reading -----------------------------------------------------------------------------------


def parse(text: str, path: str, expected_format: str) -> Json:
    """The JSON object of a file; InputError unless it is of the expected format and version."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError.of(f"{path}: not a JSON file: {error}") from error
    found = data.get("format") if isinstance(data, dict) else None
    if found != expected_format:
        raise InputError.of(f"{path}: not a {expected_format} file")
    if data.get("format_version") != FORMAT_VERSION:
        version = data.get("format_version")
        raise InputError.of(f"{path}: format version {version} is not {FORMAT_VERSION}")
    return data


def load_from_json(data: Json, path: str) -> LoadOptions:
    """How the program of a piece of evidence was loaded."""

    def read() -> LoadOptions:
        load = data["load"]
        return LoadOptions(
            {str(k): str(v) for k, v in load["defines"].items()},
            {str(k): _int(v) for k, v in load["threads"].items()},
            _int(load["max_threads"]),
        )

    return _well_formed(read, path)


def trace_from_json(data: Json, path: str) -> tuple[Trace, list[list[Json]]]:
    """A trace, and the changes per step that the file claims."""

    def read() -> tuple[Trace, list[list[Json]]]:
        moves = [
            Move(
                _int(step["thread"]),
                tuple(
                    Choice(EdgeId(_int(c["edge"])), _cells(c["values"])) for c in step["choices"]
                ),
            )
            for step in data["steps"]
        ]
        counts = {str(k): _count(v) for k, v in data["counts"].items()}
        trace = Trace(
            str(data["program_hash"]),
            str(data["property"]),
            _cells(data["initial"]),
            tuple(moves),
            counts,
        )
        return trace, [list(step["changes"]) for step in data["steps"]]

    return _well_formed(read, path)


def certificate_from_json(data: Json, path: str) -> Certificate:
    """A certificate."""

    def read() -> Certificate:
        program_hash, properties = str(data["program_hash"]), tuple(map(str, data["properties"]))
        match data["kind"]:
            case "state-set":
                return StateSetCertificate(program_hash, properties, _states(data))
            case "thread-modular":
                return ThreadModularCertificate(program_hash, properties, *_tables(data))
            case "pushdown":
                return PushdownCertificate(program_hash, properties, *_pushdown(data))
            case "frontier":
                return FrontierCertificate(program_hash, properties, *_chain(data))
            case "symmetric":
                counts = {str(name): _count(n) for name, n in data["counts"].items()}
                threads = tuple(_position(t) for t in data["representatives"])
                stacks = _rows(data["path_edges"]), _callers(data["callers"])
                return SymmetricCertificate(
                    program_hash, properties, counts, threads, *_tables(data), *stacks
                )
            case "reduction":
                return _reduction(data, program_hash, properties)
            case unknown:
                raise ValueError(f"unknown kind {unknown!r}")

    return _well_formed(read, path)


def _reduction(data: Json, program_hash: str, properties: tuple[str, ...]) -> ReductionCertificate:
    tables = data["mover_pairs"]
    pairs: ThreadModularCertificate | PushdownCertificate
    if tables["kind"] == "pushdown":
        pairs = PushdownCertificate(program_hash, (), *_pushdown(tables))
    elif tables["kind"] == "thread-modular":
        pairs = ThreadModularCertificate(program_hash, (), *_tables(tables))
    else:
        raise ValueError(f"pairs of the unknown kind {tables['kind']!r}")
    return ReductionCertificate(
        program_hash,
        properties,
        pairs,
        [[_claims(item) for item in rows] for rows in data["claims"]],
        _states(data),
        [str(parts) for parts in data["parts"]],
        [_position(rank) for rank in data["ranks"]],
    )


def _claims(item: Json) -> StoreClaims:
    return StoreClaims(
        _local(item["store"]),
        bool(_bit(item["before_commit"])),
        bool(_bit(item["after_commit"])),
        tuple(EdgeId(_position(edge)) for edge in item["right"]),
        tuple(EdgeId(_position(edge)) for edge in item["left"]),
    )


def _states(data: Json) -> list[State]:
    globals_ = [_global(item) for item in data["globals"]]
    threads = [_thread(item) for item in data["threads"]]
    states = []
    for row in data["states"]:
        g, *positions = (_position(item) for item in row)
        pairs = [threads[position] for position in positions]
        locals_, stacks = tuple(l for l, _ in pairs), tuple(s for _, s in pairs)
        states.append(State(globals_[g], locals_, stacks))
    return states


def _pushdown(
    data: Json,
) -> tuple[
    list[Cells],
    list[list[tuple[int, LocalStore]]],
    list[list[tuple[int, int]]],
    list[list[tuple[int, int, Frame]]],
    list[list[tuple[int, int]]],
]:
    locals_ = [_local(item) for item in data["locals"]]
    pairs = [[(_position(g), locals_[_position(l)]) for g, l in rows] for rows in data["pairs"]]
    edges, made = _rows(data["path_edges"]), _rows(data["guarantees"])
    stores = [_cells(item) for item in data["globals"]]
    return stores, pairs, edges, _callers(data["callers"]), made


def _rows(tables: Json) -> list[list[tuple[int, int]]]:
    return [[(_position(a), _position(b)) for a, b in rows] for rows in tables]


def _callers(tables: Json) -> list[list[tuple[int, int, Frame]]]:
    return [
        [
            (_position(entry), _position(caller), Frame(EdgeId(_position(call)), _cells(saved)))
            for entry, caller, call, saved in rows
        ]
        for rows in tables
    ]


def _chain(
    data: Json,
) -> tuple[list[Cells], list[list[list[tuple[int, LocalStore]]]]]:
    locals_ = [_local(item) for item in data["locals"]]
    chain = [
        [[(_position(g), locals_[_position(l)]) for g, l in rows] for rows in sets]
        for sets in data["chain"]
    ]
    return [_cells(item) for item in data["globals"]], chain


def _tables(
    data: Json,
) -> tuple[list[Cells], list[list[tuple[int, LocalStore]]], list[list[tuple[int, int]]]]:
    locals_ = [_local(item) for item in data["locals"]]
    reached = [
        [(_position(g), locals_[_position(l)]) for g, l in pairs] for pairs in data["reached"]
    ]
    guarantees = [
        [(_position(before), _position(after)) for before, after in made]
        for made in data["guarantees"]
    ]
    return [_cells(item) for item in data["globals"]], reached, guarantees


def claimed_changes_match(described: DescribedTrace, claimed: Iterable[list[Json]]) -> bool:
    """Whether the changes a trace file shows its reader are those of the replayed trace."""
    actual = [[_change_to_json(change) for change in step.changes] for step in described.steps]
    return actual == list(claimed)


def _well_formed(read: Callable[[], Item], path: str) -> Item:
    try:
        return read()
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise InputError.of(f"{path}: malformed: {error!r}") from error


def _int(item: Json) -> int:
    if isinstance(item, bool) or not isinstance(item, int):
        raise TypeError(f"{item!r} is not an integer")
    return item


def _position(item: Json) -> int:
    if _int(item) < 0:
        raise ValueError(f"{item!r} is not a position")
    return _int(item)


def _count(item: Json) -> int:
    if _position(item) > MOST_THREADS:
        raise ValueError(f"{item!r} threads are too many")
    return _position(item)


def _bit(item: Json) -> int:
    if _position(item) > 1:
        raise ValueError(f"{item!r} is neither 0 nor 1")
    return _position(item)


def _value(item: Json) -> Value:
    if isinstance(item, Mapping):
        return Address(_int(item["object"]), _int(item["offset"]))
    if item is None or isinstance(item, bool):
        return item
    return _int(item)


def _cells(items: Json) -> Cells:
    if not isinstance(items, list):
        raise TypeError(f"{items!r} is not a list of values")
    return tuple(_value(item) for item in items)


def _global(item: Json) -> GlobalStore:
    if isinstance(item, list):
        return GlobalStore(_cells(item))
    heap = tuple(
        HeapObject(str(o["site"]), _cells(o["cells"]), bool(o["alive"])) for o in item["heap"]
    )
    return GlobalStore(_cells(item["cells"]), heap)


def _thread(item: Json) -> tuple[LocalStore, tuple[Frame, ...]]:
    *own, frames = item
    stack = tuple(Frame(EdgeId(_int(call)), _cells(saved)) for call, saved in frames)
    return _local(own), stack


def _local(item: Json) -> LocalStore:
    pc, thread, locals_ = item
    return LocalStore(LocId(_int(pc)), _cells(thread), _cells(locals_))
