"""The worklist: everything is visited, again where something was added, in a fixed order."""

from __future__ import annotations

import pytest

from threadwise.analyses.worklist import OrderedWorklist, Worklist, reached

GRAPH = {"a": ["b", "c"], "b": ["d"], "c": ["d", "a"], "d": ["d"], "e": ["a"]}


def test_what_is_reached_and_how_far_it_is() -> None:
    assert reached(["a"], GRAPH.__getitem__) == {"a": 0, "b": 1, "c": 1, "d": 2}
    assert list(reached(["e"], GRAPH.__getitem__)) == ["e", "a", "b", "c", "d"]
    assert reached([], GRAPH.__getitem__) == {}


def test_several_starts_are_all_at_the_beginning() -> None:
    assert reached(["e", "d"], GRAPH.__getitem__) == {"e": 0, "d": 0, "a": 1, "b": 2, "c": 2}


def visited(
    waiting: Worklist[int] | OrderedWorklist[int], again: dict[int, list[int]]
) -> list[int]:
    found: list[int] = []
    for item in waiting:
        found.append(item)
        for other in again.pop(item, ()):
            waiting.add(other)
    return found


def test_items_come_in_their_order_and_wait_once() -> None:
    assert visited(Worklist([3, 1, 3, 2]), {}) == [3, 1, 2]
    assert visited(Worklist([3, 1]), {3: [1, 2, 3]}) == [3, 1, 2, 3]


def test_of_those_that_wait_the_first_in_the_order_comes_next() -> None:
    order = [5, 4, 3, 2, 1]
    assert visited(OrderedWorklist(order, [1, 3, 3]), {}) == [3, 1]
    assert visited(OrderedWorklist(order, [4]), {4: [1, 5, 2], 2: [5, 4]}) == [4, 5, 2, 5, 4, 1]


def test_the_order_has_all_items() -> None:
    with pytest.raises(KeyError):
        OrderedWorklist([1], [2])
