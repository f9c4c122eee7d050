"""What a proof by the order of locks leaves behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

Names = frozenset[str]
"""Locks, by the names of their places."""
Context = tuple[str, Names]
"""A procedure, and what is held where it begins."""


@dataclass(frozen=True)
class Group:
    """Nodes that may be waited for in any order, if `gate` is a lock that keeps others out."""

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
    held: Mapping[Context, Mapping[int, Names]]
    """By procedure, what may be held where it began, and location: what may be held there."""
    surely: Mapping[Context, Mapping[int, Names]]
    """The same for what surely is."""
    order: tuple[Group, ...]
    """Who has something of one group waits for later ones only."""
