"""Numbers for the stores of one step."""

from __future__ import annotations

from threadwise.semantics.big_steps import StoreNumbers


def test_equal_stores_have_equal_numbers() -> None:
    first, changed = (0, 0), (0, 1)
    numbers = StoreNumbers(first)
    assert numbers.number(first) == 0
    assert numbers.number(changed) == 1
    assert numbers.number((0, 0)) == 0  # another object: a step that restores what was there
    assert numbers.number((0, 1)) == 1
    assert numbers.number(first) == 0
    assert numbers.number((1, 1)) == 2


def test_first_store_is_known_when_another_comes_first() -> None:
    numbers = StoreNumbers((0,))
    assert numbers.number((1,)) == 1
    assert numbers.number((0,)) == 0
