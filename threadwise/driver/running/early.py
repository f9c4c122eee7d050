"""Deadlocks of large programs by an order of locks, before the program is simplified as a whole.

A proof by an order of locks needs to know little of a program: which locks there are and of what
kind. One pass is enough for that, and all the others together take longer than the proof. If there
is no order, walks are directed to the cycle in the same program. What neither decides is left to
the other engines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from threadwise.driver.loading import Input
from threadwise.driver.running.messages import Send
from threadwise.driver.running.work import Work
from threadwise.engines.auto import steps_within
from threadwise.engines.registry import ENGINES
from threadwise.ir.properties import DeadlockProperty, Property

PASSES = ("constants",)
"""What makes the kinds of locks plain."""

LARGE = 4_000
"""Programs with fewer edges are simplified in a moment."""

PROVES, SHOWS = "lock-order", "walks"

SEARCH = 20_000_000
"""About how many microseconds walks may take, in steps."""


class Begin(Protocol):
    """Begins work on a program after some passes, on properties with certain names."""

    def __call__(
        self, given: Input, names: Iterable[str], tell: Send, passes: Sequence[str] | None = None
    ) -> Work:
        """The work, to be done."""
        ...


def left_by_order(
    loaded: Input, asked: Sequence[Property], names: list[str], begin: Begin, tell: Send
) -> list[str]:
    """Which of the properties with these names are still open after `lock-order` and `walks`."""
    if loaded.partly is None or len(loaded.program.edges) < LARGE or not names:
        return names
    if not all(isinstance(checked, DeadlockProperty) for checked in asked) or loaded.denied:
        return names
    work = begin(loaded, names, tell, PASSES)
    work.attempt(ENGINES[PROVES], None)
    if work.open and any(work.goals.values()):
        info = ENGINES[SHOWS]
        work.attempt(info, steps_within(info, work.program, SEARCH))
    return [name for name in names if name in work.open]
