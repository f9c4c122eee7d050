"""Causes of state explosion; `threadwise.analyses.growth` finds them."""

from __future__ import annotations

from enum import IntEnum

from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import Span


class GrowthKind(IntEnum):
    """Why there are many states; in the order in which reports list them."""

    RECURSION = 1
    """A procedure that may call itself."""
    LOOP = 2
    """A shared value in a loop that is made of itself, without a bound that the loop checks."""
    CREATION = 3
    """Threads that are created in a loop."""
    INPUT = 4
    """A value that may be any of many."""
    COUNTER = 5
    """Another value in a loop that is made of itself."""
    THREADS = 6
    """Threads that run side by side, if nothing else is to be said."""


@dataclass(frozen=True)
class Growth:
    """A place that states come from."""

    kind: GrowthKind
    span: Span
    what: str

    @property
    def told(self) -> str:
        """In words, with the place."""
        return f"{self.span.path}:{self.span.line}: {self.what}"
