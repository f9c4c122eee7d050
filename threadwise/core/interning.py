"""Numbering distinct items in the order of their appearance."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

Item = TypeVar("Item", bound=Hashable)


class Interned(Generic[Item]):
    """Distinct items, each with a position."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self._positions: dict[Item, int] = {}

    def position(self, item: Item) -> int:
        """Where the item stands; it is added at the end if it is new."""
        if item not in self._positions:
            self._positions[item] = len(self.items)
            self.items.append(item)
        return self._positions[item]
