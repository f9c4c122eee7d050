"""Values, stores and threads as JSON, and their reading with every number checked."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from threadwise.core.errors import InputError
from threadwise.ir.program import EdgeId, LocId
from threadwise.ir.types import Address, Value
from threadwise.semantics.state import Cells, Frame, GlobalStore, HeapObject, LocalStore

MOST_THREADS = 100_000
"""Evidence about more threads of a template than this is not looked at."""

Json = Any
Item = TypeVar("Item")


def shown(item: Json) -> str:
    """An item for a message: short, however large or deep it is."""
    return reprlib.repr(item)


def as_text(item: Json) -> str:
    """A string."""
    if not isinstance(item, str):
        raise TypeError(f"{shown(item)} is not a text")
    return item


def as_truth(item: Json) -> bool:
    """A truth value."""
    if not isinstance(item, bool):
        raise TypeError(f"{shown(item)} is not a truth value")
    return item


def as_list(item: Json) -> list[Json]:
    """A list."""
    if not isinstance(item, list):
        raise TypeError(f"{shown(item)} is not a list")
    return item


def as_integer(item: Json) -> int:
    """A number that is no truth value."""
    if isinstance(item, bool) or not isinstance(item, int):
        raise TypeError(f"{shown(item)} is not an integer")
    return item


def as_position(item: Json) -> int:
    """A number from 0."""
    if as_integer(item) < 0:
        raise ValueError(f"{shown(item)} is not a position")
    return as_integer(item)


def as_count(item: Json) -> int:
    """A number of threads."""
    if as_position(item) > MOST_THREADS:
        raise ValueError(f"{shown(item)} threads are too many")
    return as_position(item)


def as_bit(item: Json) -> int:
    """0 or 1."""
    if as_position(item) > 1:
        raise ValueError(f"{shown(item)} is neither 0 nor 1")
    return as_position(item)


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


MALFORMED = (
    KeyError,
    TypeError,
    ValueError,
    IndexError,
    AttributeError,
    OverflowError,
    RecursionError,
)
"""What reading raises where a document has another shape than expected."""


def malformed(place: str, error: Exception) -> InputError:
    """The error for the user; `place` is a file, with the line if that is known."""
    match error:
        case KeyError():
            told = f"there is no {', '.join(map(shown, error.args))}"
        case RecursionError():
            told = "it is nested too deeply"
        case _:
            told = str(error) or type(error).__name__
    return InputError.of(f"{place}: malformed: {told}")


def well_formed(read: Callable[[], Item], place: str) -> Item:
    """What `read` gives; InputError if the document is not of the expected shape."""
    try:
        return read()
    except MALFORMED as error:
        raise malformed(place, error) from error
