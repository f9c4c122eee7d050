"""Tables that several kinds of certificates have, as JSON.

What repeats is interned: `globals` lists global stores, `threads` local states with stacks, and
a state is a row of positions in these lists; `locals` lists local stores likewise.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.core.documents import Json, as_position
from threadwise.ir.program import EdgeId
from threadwise.semantics.json import (
    Interned,
    cells_from_json,
    cells_to_json,
    global_from_json,
    global_to_json,
    thread_from_json,
    thread_to_json,
)
from threadwise.semantics.state import Frame, State

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
