"""The tables of certificates as JSON.

What repeats is interned: `globals` lists global stores, `threads` what a thread can look like, and
a state is a row of positions in these lists; `locals` lists local stores likewise.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.core.documents import Json, as_position
from threadwise.ir.program import EdgeId
from threadwise.proofs.frontier.certificate import FrontierCertificate
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.semantics.json import (
    Interned,
    cells_from_json,
    cells_to_json,
    global_from_json,
    global_to_json,
    local_from_json,
    local_to_json,
    thread_from_json,
    thread_to_json,
)
from threadwise.semantics.state import Cells, Frame, LocalStore, State

Stacks = tuple[tuple[Frame, ...], ...]


def states_to_json(states: Sequence[State]) -> dict[str, Json]:
    """States, stores and threads interned."""
    globals_ = Interned(global_to_json)
    threads = Interned(thread_to_json)
    rows = [
        [
            globals_.position(state.g),
            *(threads.position(pair) for pair in zip(state.locals, state.stacks, strict=True)),
        ]
        for state in states
    ]
    return {"globals": globals_.items, "threads": threads.items, "states": rows}


def states_from_json(data: Json) -> list[State]:
    """States."""
    globals_ = [global_from_json(item) for item in data["globals"]]
    threads = [thread_from_json(item) for item in data["threads"]]
    states = []
    stacks: dict[Stacks, Stacks] = {}
    """Few are different: most states share theirs."""
    for row in data["states"]:
        g, *positions = (as_position(item) for item in row)
        pairs = [threads[position] for position in positions]
        locals_, found = tuple(l for l, _ in pairs), tuple(s for _, s in pairs)
        states.append(State(globals_[g], locals_, stacks.setdefault(found, found)))
    return states


def pairs_to_json(
    certificate: ThreadModularCertificate | SymmetricCertificate,
) -> dict[str, Json]:
    """R and G, local stores interned."""
    locals_ = Interned(local_to_json)
    reached = [[[g, locals_.position(l)] for g, l in pairs] for pairs in certificate.reached]
    return {
        "globals": [cells_to_json(cells) for cells in certificate.globals],
        "locals": locals_.items,
        "reached": reached,
        "guarantees": [[list(change) for change in made] for made in certificate.guarantees],
    }


def pairs_from_json(
    data: Json,
) -> tuple[list[Cells], list[list[tuple[int, LocalStore]]], list[list[tuple[int, int]]]]:
    """Global stores, R and G."""
    locals_ = [local_from_json(item) for item in data["locals"]]
    reached = [
        [(as_position(g), locals_[as_position(l)]) for g, l in pairs] for pairs in data["reached"]
    ]
    guarantees = [
        [(as_position(before), as_position(after)) for before, after in made]
        for made in data["guarantees"]
    ]
    return [cells_from_json(item) for item in data["globals"]], reached, guarantees


def pushdown_to_json(certificate: PushdownCertificate) -> dict[str, Json]:
    """P, the callers and G."""
    locals_ = Interned(local_to_json)
    return {
        "globals": [cells_to_json(cells) for cells in certificate.globals],
        "pairs": [[[g, locals_.position(l)] for g, l in rows] for rows in certificate.pairs],
        "locals": locals_.items,
        "path_edges": rows_to_json(certificate.path_edges),
        "callers": callers_to_json(certificate.callers),
        "guarantees": rows_to_json(certificate.guarantees),
    }


def pushdown_from_json(
    data: Json,
) -> tuple[
    list[Cells],
    list[list[tuple[int, LocalStore]]],
    list[list[tuple[int, int]]],
    list[list[tuple[int, int, Frame]]],
    list[list[tuple[int, int]]],
]:
    """Global stores, pairs, P, the callers and G."""
    locals_ = [local_from_json(item) for item in data["locals"]]
    pairs = [
        [(as_position(g), locals_[as_position(l)]) for g, l in rows] for rows in data["pairs"]
    ]
    edges, made = rows_from_json(data["path_edges"]), rows_from_json(data["guarantees"])
    stores = [cells_from_json(item) for item in data["globals"]]
    return stores, pairs, edges, callers_from_json(data["callers"]), made


def chain_to_json(certificate: FrontierCertificate) -> dict[str, Json]:
    """The chain of frontier search."""
    locals_ = Interned(local_to_json)
    chain = [
        [[[g, locals_.position(l)] for g, l in rows] for rows in sets]
        for sets in certificate.chain
    ]
    stores = [cells_to_json(cells) for cells in certificate.globals]
    return {"globals": stores, "locals": locals_.items, "chain": chain}


def chain_from_json(
    data: Json,
) -> tuple[list[Cells], list[list[list[tuple[int, LocalStore]]]]]:
    """Global stores and the chain."""
    locals_ = [local_from_json(item) for item in data["locals"]]
    chain = [
        [[(as_position(g), locals_[as_position(l)]) for g, l in rows] for rows in sets]
        for sets in data["chain"]
    ]
    return [cells_from_json(item) for item in data["globals"]], chain


def rows_to_json(tables: Sequence[Sequence[tuple[int, int]]]) -> Json:
    """Pairs of positions, per thread."""
    return [[list(row) for row in rows] for rows in tables]


def rows_from_json(tables: Json) -> list[list[tuple[int, int]]]:
    """Pairs of positions, per thread."""
    return [[(as_position(a), as_position(b)) for a, b in rows] for rows in tables]


def callers_to_json(tables: Sequence[Sequence[tuple[int, int, Frame]]]) -> Json:
    """Callers, per thread."""
    return [
        [[entry, caller, f.call, cells_to_json(f.locals)] for entry, caller, f in calls]
        for calls in tables
    ]


def callers_from_json(tables: Json) -> list[list[tuple[int, int, Frame]]]:
    """Callers, per thread."""
    return [
        [
            (
                as_position(entry),
                as_position(caller),
                Frame(EdgeId(as_position(call)), cells_from_json(saved)),
            )
            for entry, caller, call, saved in rows
        ]
        for rows in tables
    ]
