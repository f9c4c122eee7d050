"""Stores as JSON: what is written is read back, and what is shared is written once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from threadwise.ir.program import EdgeId, LocId
from threadwise.ir.types import NULL, UNSET, Address
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
    value_from_json,
    value_to_json,
)
from threadwise.semantics.state import Frame, GlobalStore, HeapObject, LocalStore

CELLS = (0, -3, 1 << 70, True, False, NULL, UNSET, Address(4, -1))
GONE = HeapObject("a.c:3", (NULL, 2), alive=False)
LOCAL = LocalStore(LocId(7), CELLS[:2], CELLS[3:])
STACK = (Frame(EdgeId(2), (1,)), Frame(EdgeId(5), CELLS))


def written(item: Any) -> Any:
    """What a file would say."""
    return json.loads(json.dumps(item))


def test_what_is_written_is_read_back() -> None:
    for value in CELLS:
        found = value_from_json(written(value_to_json(value)))
        assert found == value
        assert type(found) is type(value)
    assert cells_from_json(written(cells_to_json(CELLS))) == CELLS
    heap = (HeapObject("a.c:3", CELLS, alive=True), GONE)
    for store in (GlobalStore(CELLS), GlobalStore(CELLS, heap), GlobalStore(())):
        assert global_from_json(written(global_to_json(store))) == store
    assert local_from_json(written(local_to_json(LOCAL))) == LOCAL
    for thread in ((LOCAL, ()), (LOCAL, STACK)):
        assert thread_from_json(written(thread_to_json(thread))) == thread


def test_a_store_without_a_heap_is_its_cells() -> None:
    assert global_to_json(GlobalStore((1, NULL))) == [1, None]


@pytest.mark.parametrize("wrong", [1.5, "3", [1], {"object": 1, "offset": True}])
def test_what_is_no_value_is_refused(wrong: object) -> None:
    with pytest.raises(TypeError):
        cells_from_json([1, wrong])


def test_cells_are_a_list() -> None:
    with pytest.raises(TypeError, match="is not a list of values"):
        cells_from_json({"object": 1, "offset": 2})


def test_items_are_written_once_in_order_of_appearance() -> None:
    known = Interned(cells_to_json)
    assert [known.position(item) for item in (CELLS, (), CELLS, (1,), ())] == [0, 1, 0, 2, 1]
    assert known.items == [cells_to_json(CELLS), [], [1]]
