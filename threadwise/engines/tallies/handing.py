"""Where threads are, and what they hand on to each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from threadwise.engines.tallies.cells import Thread
from threadwise.engines.tallies.states import State
from threadwise.ir.program import LocId

PATIENCE = 3
"""So often bounds may grow before they are widened."""


class Node(NamedTuple):
    """Where a thread is, the mutexes that it holds, whom it has created, and whom joined."""

    location: LocId
    held: frozenset[str] = frozenset()
    created: frozenset[Thread] = frozenset()
    joined: frozenset[Thread] = frozenset()
    flags: tuple[tuple[str, int], ...] = ()
    """What its flags are."""


@dataclass
class Handed:
    """A state that threads hand on; None if there was no occasion yet."""

    state: State | None = None
    visits: int = 0

    def add(self, state: State, steps: list[int]) -> bool:
        """Join a state; whether something changed."""
        before = self.state
        if before is None:
            self.state = state
        else:
            self.visits += 1
            self.state = before.joined(state, steps if self.visits > PATIENCE else None)
        return self.state != before


@dataclass
class Known:
    """All that threads hand on."""

    always: Handed = field(default_factory=Handed)
    locks: dict[str, Handed] = field(default_factory=dict)
    start: dict[Thread, Handed] = field(default_factory=dict)
    end: dict[Thread, Handed] = field(default_factory=dict)

    def states(self) -> list[State | None]:
        """All of them."""
        tables = (self.locks, self.start, self.end)
        return [self.always.state, *(h.state for table in tables for h in table.values())]
