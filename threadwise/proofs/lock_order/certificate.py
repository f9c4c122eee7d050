"""The certificate of a proof by the order of locks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

Names = frozenset[str]
"""Locks, by the names of their places."""
NOTHING: Names = frozenset()
Known = Mapping[str, tuple[int | None, int | None]]
"""Bounds of locals; None: there is none."""


@dataclass(frozen=True)
class Change:
    """How what a thread holds may differ from what it held at an earlier moment.

    If it held A then, it holds at most (A - lost) | gained, and at least (A - freed) | kept.
    """

    gained: Names = NOTHING
    """May have been taken since."""
    lost: Names = NOTHING
    """Surely were given back since."""
    kept: Names = NOTHING
    """Surely were taken since, and not given back."""
    freed: Names = NOTHING
    """May have been given back since."""

    def then(self, later: Change) -> Change:
        """This change, and then another one."""
        return Change(
            (self.gained - later.lost) | later.gained,
            self.lost | later.lost,
            (self.kept - later.freed) | later.kept,
            self.freed | later.freed,
        )

    def implies(self, other: Change) -> bool:
        """Whether all that this says the other one says, or less."""
        return (
            self.gained <= other.gained
            and self.lost >= other.lost
            and self.kept >= other.kept
            and self.freed <= other.freed
        )

    def either(self, other: Change) -> Change:
        """What is true of this change and of another one."""
        return Change(
            self.gained | other.gained,
            self.lost & other.lost,
            self.kept & other.kept,
            self.freed | other.freed,
        )

    def may(self, before: Names) -> Names:
        """What may be held, if at most `before` was."""
        return (before - self.lost) | self.gained

    def surely(self, before: Names) -> Names:
        """What surely is held, if at least `before` was."""
        return (before - self.freed) | self.kept


@dataclass(frozen=True)
class Entry:
    """A way to begin a procedure: what may be held there and what surely is."""

    procedure: str
    may: Names = NOTHING
    surely: Names = NOTHING


@dataclass(frozen=True)
class Group:
    """Nodes that may be waited for in any order, if `gate` is a gate lock (Havelund 2000)."""

    nodes: Names
    gate: str | None = None


@dataclass(frozen=True)
class LockOrderCertificate:
    """Locks are taken, and threads joined, in one order.

    A node is a lock, or `end T` for the end of a thread of template T.
    """

    kind: ClassVar[str] = "lock-order"

    program_hash: str
    properties: tuple[str, ...]
    changes: Mapping[str, Mapping[int, Change]]
    """By procedure and location, what changed since the procedure began."""
    entries: tuple[Entry, ...]
    """How procedures begin."""
    order: tuple[Group, ...]
    """Who has something of one group waits for later ones only."""
    bounds: Mapping[str, Mapping[int, Known]] = field(default_factory=dict)
    """By procedure and location, bounds of local integers, where guards depend on them."""
