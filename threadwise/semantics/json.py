"""Values, stores and threads as JSON, and their reading with every number checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from threadwise.core.documents import Json, as_integer, as_text, as_truth, shown
from threadwise.ir.program import EdgeId, LocId
from threadwise.ir.types import Address, Value
from threadwise.semantics.state import Cells, Frame, GlobalStore, HeapObject, LocalStore


def value_from_json(item: Json) -> Value:
    """The value of a cell."""
    if isinstance(item, Mapping):
        return Address(as_integer(item["object"]), as_integer(item["offset"]))
    if item is None or isinstance(item, bool):
        return item
    return as_integer(item)


def cells_from_json(items: Json) -> Cells:
    """The values of some cells."""
    if not isinstance(items, list):
        raise TypeError(f"{shown(items)} is not a list of values")
    return tuple(value_from_json(item) for item in items)


def global_from_json(item: Json) -> GlobalStore:
    """A global store."""
    if isinstance(item, list):
        return GlobalStore(cells_from_json(item))
    heap = tuple(
        HeapObject(as_text(o["site"]), cells_from_json(o["cells"]), as_truth(o["alive"]))
        for o in item["heap"]
    )
    return GlobalStore(cells_from_json(item["cells"]), heap)


def local_from_json(item: Json) -> LocalStore:
    """A local store."""
    pc, thread, locals_ = item
    return LocalStore(LocId(as_integer(pc)), cells_from_json(thread), cells_from_json(locals_))


def thread_from_json(item: Json) -> tuple[LocalStore, tuple[Frame, ...]]:
    """The local store and the stack of a thread."""
    *own, frames = item
    stack = tuple(
        Frame(EdgeId(as_integer(call)), cells_from_json(saved)) for call, saved in frames
    )
    return local_from_json(own), stack


def value_to_json(value: Value) -> Json:
    """The value of a cell."""
    if isinstance(value, Address):
        return {"object": value.number, "offset": value.offset}
    return value


def cells_to_json(cells: Cells) -> Json:
    """The values of some cells."""
    return [value_to_json(value) for value in cells]


def global_to_json(g: GlobalStore) -> Json:
    """A global store; without a heap, its cells."""
    if not g.heap:
        return cells_to_json(g.cells)
    heap = [
        {"site": item.site, "cells": cells_to_json(item.cells), "alive": item.alive}
        for item in g.heap
    ]
    return {"cells": cells_to_json(g.cells), "heap": heap}


def local_to_json(l: LocalStore) -> Json:
    """A local store."""
    return [l.pc, cells_to_json(l.thread), cells_to_json(l.locals)]


def thread_to_json(pair: tuple[LocalStore, tuple[Frame, ...]]) -> Json:
    """The local store and the stack of a thread."""
    l, stack = pair
    frames = [[frame.call, cells_to_json(frame.locals)] for frame in stack]
    return [*local_to_json(l), frames]


class Interned:
    """Distinct items in order of appearance, each written once."""

    def __init__(self, encode: Callable[[Any], Json]) -> None:
        self.encode = encode
        self.items: list[Json] = []
        self._positions: dict[Any, int] = {}

    def position(self, item: Any) -> int:
        """The position of an item; a new one is added at the end."""
        if item not in self._positions:
            self._positions[item] = len(self.items)
            self.items.append(self.encode(item))
        return self._positions[item]
