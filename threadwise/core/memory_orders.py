"""The memory orders of the atomic accesses of a C program, by where they are in its source."""

from __future__ import annotations

from collections.abc import Mapping

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.core.source import Span

RELAXED, CONSUME, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST = range(6)
"""By the numbers of stdatomic.h."""
UNORDERED = -1
"""That of a step which is no atomic access in C: not even a fence makes it order anything."""
ACQUIRING = (CONSUME, ACQUIRE, ACQ_REL, SEQ_CST)
RELEASING = (RELEASE, ACQ_REL, SEQ_CST)


@dataclass(frozen=True)
class AccessOrder:
    """The order of an atomic access, and of a compare-and-exchange that fails."""

    order: int
    failing: int

    @property
    def is_weak(self) -> bool:
        """Whether it orders less than it could."""
        return min(self.order, self.failing) < SEQ_CST


@dataclass(frozen=True)
class MemoryOrders:
    """What orders threads, beside locks and other functions."""

    accesses: Mapping[Span, AccessOrder] = field(default_factory=dict)
    """Those that are known, and the only ones at their place."""
    release_fences: bool = False
    acquire_fences: bool = False

    @property
    def are_weak(self) -> bool:
        """Whether some access orders less than it could."""
        return any(access.is_weak for access in self.accesses.values())
