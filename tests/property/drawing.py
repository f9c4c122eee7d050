"""Cheap random choices for generators of large structures.

Hypothesis validates every strategy object it meets, which dominates when a program takes hundreds
of small choices. A `Draw` keeps to a handful of primitive strategies, made once, and generators
are plain functions that take one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")

_integers = cache(st.integers)
_FLAGS = st.booleans()
_TEXT = st.text(max_size=5)


class Draw:
    """The source of choices; small numbers and early elements are the simplest."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def number(self, low: int, high: int) -> int:
        """An integer between the bounds."""
        return self._draw(_integers(low, high))

    def any_number(self) -> int:
        """An integer, mostly a small one."""
        return self.number(-3, 9) if self.flag() else self.number(-(2**70), 2**70)

    def flag(self) -> bool:
        """A truth value."""
        return self._draw(_FLAGS)

    def text(self) -> str:
        """A short string of any characters."""
        return self._draw(_TEXT)

    def pick(self, choices: Sequence[T]) -> T:
        """One of the choices."""
        return choices[self.number(0, len(choices) - 1)]

    def some(self, choices: Sequence[T], most: int, least: int = 0) -> list[T]:
        """Different choices, some of them."""
        left = list(choices)
        count = self.number(least, min(most, len(left)))
        return [left.pop(self.number(0, len(left) - 1)) for _ in range(count)]

    def many(self, make: Callable[[], T], most: int, least: int = 0) -> list[T]:
        """Some of what a function makes."""
        return [make() for _ in range(self.number(least, most))]
